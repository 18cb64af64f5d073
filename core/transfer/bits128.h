// 128 bits: a row of an oblivious transfer, a node of a tree, or a tweak.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace sotto {

// Bit j is bit j mod 64 of word[j / 64]; bytes are little-endian.
struct Bits128 {
  std::array<std::uint64_t, 2> word{};

  friend Bits128 operator^(const Bits128& a, const Bits128& b) noexcept {
    return {{a.word[0] ^ b.word[0], a.word[1] ^ b.word[1]}};
  }
  Bits128& operator^=(const Bits128& other) noexcept { return *this = *this ^ other; }
  friend bool operator==(const Bits128&, const Bits128&) = default;
};
static_assert(sizeof(Bits128) == 16);

// `bits` if the bit is 1, else zeros; without a branch.
[[nodiscard]] inline Bits128 masked_by(std::uint64_t bit, const Bits128& bits) noexcept {
  const std::uint64_t mask = 0 - bit;
  return {{bits.word[0] & mask, bits.word[1] & mask}};
}

}  // namespace sotto
