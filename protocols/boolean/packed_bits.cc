#include "sotto/protocol/boolean/packed_bits.h"

#include <cstddef>

#include "core/wire/bit_pack.h"

namespace sotto::protocols {

Words pack_bits(const Words& lanes, unsigned width) {
  if (lanes.empty() || width == 64) return lanes;
  Words packed(packed_words(lanes.size(), width), 0);
  pack(lanes, width, reinterpret_cast<std::byte*>(packed.data()));
  return packed;
}

Words unpack_bits(const Words& packed, std::size_t lanes, unsigned width) {
  if (packed.empty() || width == 64) return packed;
  Words words(lanes);
  unpack(reinterpret_cast<const std::byte*>(packed.data()), width, words);
  return words;
}

}  // namespace sotto::protocols
