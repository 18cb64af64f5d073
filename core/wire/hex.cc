#include "sotto/protocol/wire/hex.h"

#include <string_view>

namespace sotto {

std::string hex(std::span<const std::byte> bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const std::byte b : bytes) {
    const auto value = std::to_integer<unsigned>(b);
    text += digits[value / 16];
    text += digits[value % 16];
  }
  return text;
}

}  // namespace sotto
