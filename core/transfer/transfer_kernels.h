// The loops of oblivious transfers, in one table for each kind of CPU.
//
// All tables compute equal bytes. Running times and memory addresses do not depend on rows, keys or bits. Counts may be
// 0.
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

  // out[i] = P(P(x) ^ t) ^ P(x) with x = in[i] ^ offset, the tweak t = (tweak[0] + i, tweak[1]), and P = AES-128 under
  // the 11 round keys. `out` may be `in`. Null in the baseline table.
  void (*hash)(Byte* out, const Byte* in, const Byte* offset, const Byte* round_keys, const Word* tweak,
               std::size_t count);
  // left[i] ^= right[i]; `words` is a multiple of 32.
  void (*add)(Word* left, const Word* right, std::size_t words);
  // left[i] ^= right[i], odd[i] ^= right[i]; `words` is a multiple of 32.
  void (*join)(Word* left, Word* odd, const Word* right, std::size_t words);
  // Bit j of row i = bit i of column j. Columns are `groups` groups of 512 bits at in + stride * j, and rows are 16
  // bytes at out + 16 * i.
  void (*transpose)(Byte* out, const Word* in, std::size_t stride, std::size_t groups);
};

// The table that this process uses. transfer_kernels() chooses the table, and throws, as kernels() does
// (core/ring/kernels.h).
[[nodiscard]] const TransferKernels& transfer_kernels();

[[nodiscard]] std::vector<const TransferKernels*> available_transfer_kernels();

namespace kernel {
extern const TransferKernels baseline_transfer_kernels;
extern const TransferKernels avx2_transfer_kernels;
extern const TransferKernels avx512_transfer_kernels;
}  // namespace kernel

}  // namespace sotto
