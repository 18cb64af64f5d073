// Numbers with their nouns, such as "1 step" and "2 steps", and numbers from texts.
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

[[nodiscard]] std::string noun(std::uint64_t number, std::string_view singular);

[[nodiscard]] std::string counted(std::uint64_t number, std::string_view singular);

// The number that the text represents. Returns nothing if the text has other characters, and for numbers that the type
// cannot represent, such as "-5" for an unsigned type, "1e400", "nan" and "inf".
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
