// Bytes as text: two lower-case hex digits each.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace sotto {

[[nodiscard]] std::string hex(std::span<const std::byte> bytes);

}  // namespace sotto
