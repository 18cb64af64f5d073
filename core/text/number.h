// Numbers as text.
#pragma once

#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <system_error>
#include <type_traits>

namespace sotto {

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

}  // namespace sotto
