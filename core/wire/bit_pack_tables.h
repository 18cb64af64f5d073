// The loops behind bit_pack.h, one table for each kind of CPU.
//
// bit_packing() is the table of this process and follows the choice of kernels() (SOTTO_CPU overrides it). All tables
// give equal bytes and words. The loops read and write exactly the lanes and their packed_bytes(). `bits` is 1 to 64
// and is not checked again. No pointer needs to be aligned beyond its type. Times and addresses do not depend on the
// lanes.
//
// The files that define the avx2 and avx512 tables are compiled for those CPUs. Files with instructions of one kind of
// CPU contain only intrinsics and raw pointers. If an inline function of a library were compiled in such a file, the
// linker might keep that copy for all callers.
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
  // lanes[i] = lane i
  void (*unpack)(const Byte* in, unsigned bits, Word* lanes, std::size_t count);
  // lanes[i] = (lanes[i] + lane i) mod 2^bits
  void (*unpack_add)(const Byte* in, unsigned bits, Word* lanes, std::size_t count);
};

// The table of this process. Throws what kernels() throws.
[[nodiscard]] const BitPacking& bit_packing();

// All tables that this CPU runs, the slowest (baseline) first.
[[nodiscard]] std::vector<const BitPacking*> available_bit_packings();

namespace kernel {
extern const BitPacking baseline_bit_packing;
extern const BitPacking avx2_bit_packing;
extern const BitPacking avx512_bit_packing;
}  // namespace kernel

}  // namespace sotto
