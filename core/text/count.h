// A number with its noun in singular or plural, such as "1 step", "2 steps" or "3 parties".
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

namespace sotto {

// The noun in the form that follows the number, such as "step" after 1 and "steps" after any other number. `singular`
// is the noun in the singular.
[[nodiscard]] std::string noun(std::uint64_t number, std::string_view singular);

// The number and the noun in its right form, such as "1 step" or "60000 steps".
[[nodiscard]] std::string counted(std::uint64_t number, std::string_view singular);

// Numbers as text.

// A number as people type it, on a command line, in an environment variable or in a file. The number is decimal or has
// the given base, and the whole text must be the number. Returns nothing if the text is no such number, or if the type
// cannot represent the number. Examples of texts that give nothing are "-5" for an unsigned type,
// "99999999999999999999", "1e400", "nan" and "inf".
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
