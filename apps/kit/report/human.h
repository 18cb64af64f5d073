// Numbers in units for people.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sotto::apps {

struct TextOptions {
  bool colour = false;  // see use_colour
};

// True if the stream is a terminal, TERM is not "dumb" and NO_COLOR is not set (or empty).
bool use_colour(int file_descriptor);

std::string human_seconds(double seconds);
std::string human_bytes(double bytes);  // powers of 1000
std::string human_count(double count);
std::string human_count(std::uint64_t count, std::string_view singular);

[[nodiscard]] std::string grouped_digits(std::string digits);
[[nodiscard]] std::string scaled_figure(double value);

std::string human_eta(double eta);  // "4.51", "265,825"

// Rounds up, so a value that follows the advice is not refused. If the value exceeds a round number by less than 1 part
// in 10^9, the result is this round number.
[[nodiscard]] double rounded_up(double value, int digits);
[[nodiscard]] std::string advised(double value);

class SummaryLines {
 public:
  explicit SummaryLines(bool colour) : colour_(colour) {}

  void insecure(const std::vector<std::string>& switches);
  void title(const std::string& text);
  void line(const std::string& text);
  void warning(const std::string& text);
  void row(std::string_view name, const std::string& value, const std::string& note = {});
  [[nodiscard]] std::string text() const { return out_; }

 private:
  [[nodiscard]] std::string paint(std::string_view code, const std::string& text) const;

  bool colour_;
  std::string out_;
};

}  // namespace sotto::apps
