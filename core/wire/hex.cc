#include "sotto/core/wire/hex.h"

#include <fmt/format.h>

namespace sotto {

std::string hex(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte b : bytes) text += fmt::format("{:02x}", std::to_integer<unsigned>(b));
  return text;
}

}  // namespace sotto
