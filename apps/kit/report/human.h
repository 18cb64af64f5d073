// Formats numbers in units for people, and says whether a stream supports colours.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sotto::apps {

struct TextOptions {
  bool colour = false;  // whether to use colours (see use_colour)
};

// True if the stream is a terminal, TERM is not "dumb" and NO_COLOR is not set (or empty).
bool use_colour(int file_descriptor);

std::string human_seconds(double seconds);  // "840 ns", "41.3 us", "1.20 s", "3 min 05 s"
std::string human_bytes(double bytes);      // "512 B", "30.4 KB", "1.20 MB": powers of 1000
std::string human_count(double count);      // "950", "60,000", "12.3 M"
// A count with a unit, such as "1 step" or "60,000 steps". The caller gives the unit in the singular.
std::string human_count(std::uint64_t count, std::string_view singular);

// Turns "98120" into "98,120".
[[nodiscard]] std::string grouped_digits(std::string digits);
// A number from 1 to 999 with three significant digits: "1.20", "12.0", "120".
[[nodiscard]] std::string scaled_figure(double value);

std::string human_eta(double eta);  // "4.51", "265,825"

// Rounds up a number that the program advises, so that a value that follows the advice is not refused. A finite number
// above 0 is rounded up to `digits` significant digits. A number within 1e-9 of a round number becomes the round
// number. Values that are not finite or not above 0 are returned unchanged.
[[nodiscard]] double rounded_up(double value, int digits);
// The result of rounded_up() as text with four digits, such as "1.415".
[[nodiscard]] std::string advised(double value);

// The lines of a run's summary for a terminal: a title, warnings, and rows with name, value and note in columns.
// The lines have colours only if the caller asks for colours.
class SummaryLines {
 public:
  explicit SummaryLines(bool colour) : colour_(colour) {}

  // Adds a warning for each insecure switch (for tests only) that was set.
  void insecure(const std::vector<std::string>& switches);
  void title(const std::string& text);
  void line(const std::string& text);
  void warning(const std::string& text);
  void row(std::string_view name, const std::string& value, const std::string& note = {});
  // All lines, each with a newline at its end.
  [[nodiscard]] std::string text() const { return out_; }

 private:
  [[nodiscard]] std::string paint(std::string_view code, const std::string& text) const;

  bool colour_;
  std::string out_;
};

}  // namespace sotto::apps
