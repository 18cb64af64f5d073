// Options that take a number. Parsers by themselves wrap -5 round to a huge count, cut what is too large, read 010 as 8
// and take nan; here what is no number of the range is refused as it was typed, with the flag and what was expected.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

namespace sotto::apps {

// What a value is, of an option and in TOML.
enum class ValueKind : std::uint8_t {
  text,    // "..."
  path,    // "...", relative to the folder of the file, or of the process for flags and variables
  whole,   // a whole number, 0 to 2^63 - 1
  real,    // a number, with or without a point
  choice,  // true or false
};

// As a config has it (apps/kit/settings/setting.h).
constexpr std::uint64_t largest_whole = std::numeric_limits<std::int64_t>::max();
constexpr std::uint64_t largest_descriptor = std::numeric_limits<int>::max();

// What an option takes, for Option::number(), every element of a list alike. --help says it too.
struct NumberKind {
  std::string expected;
  std::string help;                                                    // empty where there are no bounds to speak of
  std::function<std::optional<std::string>(const std::string&)> read;  // the number in canonical form
};

// A whole number, from `least` to `most`.
[[nodiscard]] NumberKind whole(std::uint64_t least = 0, std::uint64_t most = largest_whole);
// A finite number.
[[nodiscard]] NumberKind real();
[[nodiscard]] NumberKind real(double least, double most);
[[nodiscard]] NumberKind real_from_zero();
[[nodiscard]] NumberKind real_above_zero();

// A number as people type it, on a command line, in a variable of the environment or in a file: decimal or to that
// base, the whole text and nothing but the number. Nothing where the text is no such number, or one that the type does
// not hold: "-5" for an unsigned one, "99999999999999999999", "1e400", "nan", "inf".
template <class Number>
[[nodiscard]] std::optional<Number> number_of(std::string_view text, int base = 10) {
  Number value{};
  const char* const end = text.data() + text.size();
  std::from_chars_result read{};
  bool finite = true;
  if constexpr (std::is_floating_point_v<Number>) {
    read = std::from_chars(text.data(), end, value);
    finite = std::isfinite(value);
  } else {
    read = std::from_chars(text.data(), end, value, base);
  }
  return read.ec == std::errc{} && read.ptr == end && finite ? std::optional(value) : std::nullopt;
}

}  // namespace sotto::apps
