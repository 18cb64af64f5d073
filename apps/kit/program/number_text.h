// Numbers as people type them, on a command line or in a variable of the environment: decimal, the whole text and
// nothing but the number.
#pragma once

#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <system_error>
#include <type_traits>

namespace sotto::apps {

// Nothing where the text is no such number, or one that the type does not hold: "-5" for an unsigned one,
// "99999999999999999999", "1e400", "nan", "inf".
template <class Number>
[[nodiscard]] std::optional<Number> number_of(std::string_view text) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  if constexpr (std::is_floating_point_v<Number>) {
    if (!std::isfinite(value)) return std::nullopt;
  }
  return value;
}

}  // namespace sotto::apps
