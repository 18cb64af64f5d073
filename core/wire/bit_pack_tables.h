// The loops behind bit_pack.h, in one table for each kind of CPU.
//
// All tables compute equal bytes and words. Running times and memory addresses do not depend on the lanes. The loops
// access no memory beyond the lanes and their packed_bytes() bytes. `bits` is 1 to 64 and is not checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sotto {

struct BitPacking {
  using Word = std::uint64_t;
  using Byte = unsigned char;

  const char* name;

  void (*pack)(const Word* lanes, std::size_t count, unsigned bits, Byte* out);
  void (*unpack)(const Byte* in, unsigned bits, Word* lanes, std::size_t count);
  void (*unpack_add)(const Byte* in, unsigned bits, Word* lanes, std::size_t count);
};

// The table that this process uses. bit_packing() chooses the table, and throws, as kernels() does
// (core/ring/kernels.h).
[[nodiscard]] const BitPacking& bit_packing();

[[nodiscard]] std::vector<const BitPacking*> available_bit_packings();

namespace kernel {
extern const BitPacking baseline_bit_packing;
extern const BitPacking avx2_bit_packing;
extern const BitPacking avx512_bit_packing;
}  // namespace kernel

}  // namespace sotto
