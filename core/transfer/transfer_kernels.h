// The inner loops of oblivious transfers, one table for each kind of CPU: the hash of rows, sums of leaves, and the
// transposition of bit matrices.
//
// transfer_kernels() is the table of this process and follows the choice of kernels() (SOTTO_CPU overrides it). All
// tables give equal bytes. No pointer needs to be aligned beyond its type; counts may be 0. Times and addresses do not
// depend on rows, keys or bits.
//
// transfer_kernels_avx2.cc and transfer_kernels_avx512.cc are compiled for those CPUs. Files with instructions of one
// kind of CPU contain only intrinsics and raw pointers. If an inline function of a library were compiled in such a
// file, the linker might keep that copy for all callers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sotto {

struct TransferKernels {
  using Word = std::uint64_t;
  using Byte = unsigned char;
  static constexpr std::size_t columns = 128;  // bits of a row
  static constexpr std::size_t group = 512;    // rows that are transposed at once

  const char* name;

  // out[i] = P(P(x) ^ t) ^ P(x) with x = in[i] ^ offset and the tweak t = (tweak[0] + i, tweak[1]), words of 64 bits. P
  // is AES-128 under the 11 round keys. `out` may be `in`. `hash` is null in the baseline table, with which OpenSSL
  // runs the cipher.
  void (*hash)(Byte* out, const Byte* in, const Byte* offset, const Byte* round_keys, const Word* tweak,
               std::size_t count);
  // left[i] ^= right[i]; `words` is a multiple of 32.
  void (*add)(Word* left, const Word* right, std::size_t words);
  // Adds `right` to the sum of all leaves, and to the sum of the leaves whose index has a certain bit:
  // left[i] ^= right[i], odd[i] ^= right[i]; `words` is a multiple of 32.
  void (*join)(Word* left, Word* odd, const Word* right, std::size_t words);
  // Bit j of row i = bit i of column j. Column j begins at in + stride * j, and has `groups` groups of 512 bits; row i
  // is the 16 bytes at out + 16 * i.
  void (*transpose)(Byte* out, const Word* in, std::size_t stride, std::size_t groups);
};

// The table of this process. Throws what kernels() throws.
[[nodiscard]] const TransferKernels& transfer_kernels();

// All tables that this CPU runs, the slowest (baseline) first.
[[nodiscard]] std::vector<const TransferKernels*> available_transfer_kernels();

namespace kernel {
extern const TransferKernels baseline_transfer_kernels;
extern const TransferKernels avx2_transfer_kernels;
extern const TransferKernels avx512_transfer_kernels;
}  // namespace kernel

}  // namespace sotto
