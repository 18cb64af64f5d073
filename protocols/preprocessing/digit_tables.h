// Writes the dealer's tables of below_zero, with one entry for each value d of a digit. The running time does not
// depend on the mask's digit m.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace sotto::protocols {

namespace detail {
inline constexpr std::size_t block_entries = 256;
inline constexpr std::array<std::uint8_t, block_entries> counting = [] {
  std::array<std::uint8_t, block_entries> numbers{};
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::uint8_t>(i);
  return numbers;
}();

// A block of 256 entries. `above` is all ones if the block lies above the block of m. `inside` is all ones if m lies in
// the block.
struct Block {
  std::uint8_t above, below, inside;
  Block(std::size_t number, std::uint64_t m)
      : above(ones_if(number > m / block_entries)),
        below(ones_if(number < m / block_entries)),
        inside(ones_if(number == m / block_entries)) {}
  static std::uint8_t ones_if(bool condition) { return static_cast<std::uint8_t>(-static_cast<int>(condition)); }
};
}  // namespace detail

// out[d] = sign(d - m), as a byte in two's complement.
template <class Entry>
void write_signs(Entry* out, std::size_t size, std::uint64_t m) {
  const auto low = static_cast<std::uint8_t>(m);
  for (std::size_t begin = 0; begin < size; begin += detail::block_entries) {
    const detail::Block block(begin / detail::block_entries, m);
    const std::size_t count = std::min(size - begin, detail::block_entries);
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint8_t d = detail::counting[i];
      const auto greater = static_cast<std::uint8_t>(((d > low) & block.inside) | (block.above & 1));
      const auto less = static_cast<std::uint8_t>(((d < low) & block.inside) | (block.below & 1));
      out[begin + i] = static_cast<std::uint8_t>(greater - less);
    }
  }
}

// out[d] = -[d < m].
template <class Entry>
void write_borrows(Entry* out, std::size_t size, std::uint64_t m) {
  const auto low = static_cast<std::uint8_t>(m);
  for (std::size_t begin = 0; begin < size; begin += detail::block_entries) {
    const detail::Block block(begin / detail::block_entries, m);
    const std::size_t count = std::min(size - begin, detail::block_entries);
    for (std::size_t i = 0; i < count; ++i) {
      const auto less = static_cast<std::uint8_t>(((detail::counting[i] < low) & block.inside) | (block.below & 1));
      out[begin + i] = static_cast<std::uint8_t>(0 - less);
    }
  }
}

}  // namespace sotto::protocols
