// The lines of a run's summary for a terminal: a title, rows of name, value and note in columns, warnings. Colours only
// where they are asked for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sotto::apps {

class SummaryLines {
 public:
  explicit SummaryLines(bool colour) : colour_(colour) {}

  // A warning for each switch for tests that was set.
  void insecure(const std::vector<std::string>& switches);
  void title(const std::string& text);
  void warning(const std::string& text);
  void row(std::string_view name, const std::string& value, const std::string& note = {});
  // Each line ended by a newline.
  [[nodiscard]] std::string text() const { return out_; }

 private:
  [[nodiscard]] std::string paint(std::string_view code, const std::string& text) const;

  bool colour_;
  std::string out_;
};

}  // namespace sotto::apps
