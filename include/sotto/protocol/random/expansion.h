// Tables of functions that expand randomness, by AES-128 in counter mode from counter 0. Each kind of CPU has its own
// table.
//
// All tables compute equal bytes. Group g of 16 blocks is the bytes 256 g .. 256 g + 255 of the stream. Lanes are 1, 2,
// 4 or 8 bytes, little-endian. Pointers need only the alignment of their type; counts may be 0. Running times and
// memory addresses do not depend on keys or lanes.
//
// Files for one kind of CPU contain only intrinsics and raw pointers. If they called an inline library function, the
// linker might use their copy of the function for all CPUs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sotto {

// How a word combines with the next lane of the stream.
enum class Combine : std::uint8_t { store, add, subtract, exclusive_or };

struct Expansion {
  using Word = std::uint64_t;
  using Byte = unsigned char;
  static constexpr std::size_t group_bytes = 256;
  static constexpr std::size_t group_words = group_bytes / sizeof(Word);
  static constexpr std::size_t round_key_bytes = 11 * 16;

  const char* name;

  // Writes the 11 round keys of a key of 16 bytes. The first three functions are null in the baseline table, where
  // OpenSSL runs the cipher.
  void (*schedule)(Byte* round_keys, const Byte* key);
  // out = the groups first .. first + groups - 1 of the stream.
  void (*write_stream)(Byte* out, const Byte* round_keys, std::uint64_t first, std::size_t groups);
  // out[i] = (out[i] combined with word i of these groups) & mask. Indexed by Combine.
  void (*combine_stream[4])(Word* out, const Byte* round_keys, std::uint64_t first, std::size_t groups, Word mask);
  // out[i] = (out[i] combined with lane i at `in`) & mask, indexed by Combine, then by log2 of a lane's bytes.
  void (*combine_lanes[4][4])(Word* out, const Byte* in, std::size_t lanes, Word mask);
};

// The table that this process uses. expansion() chooses the table, and throws, as kernels() does (core/ring/kernels.h).
[[nodiscard]] const Expansion& expansion();

[[nodiscard]] std::vector<const Expansion*> available_expansions();

namespace kernel {

extern const Expansion baseline_expansion;
extern const Expansion avx2_expansion;
extern const Expansion avx512_expansion;

void aes_schedule(unsigned char* round_keys, const unsigned char* key);

// Replaces the loops in a copy of avx2_expansion by loops for VAES.
void use_vaes(Expansion& table);

}  // namespace kernel

}  // namespace sotto
