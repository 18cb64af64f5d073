// The inner loops of random expansion, in one table for each kind of CPU: AES-128 in counter mode, with a counter that
// starts at 0, and the operations that use the stream.
//
// The function expansion() returns the table of this process and follows the choice of kernels() (the environment
// variable SOTTO_CPU overrides this choice). All tables give equal bytes. The stream is made in groups of 16 blocks;
// group g is the bytes 256 g .. 256 g + 255. Lanes are 1, 2, 4 or 8 bytes, little-endian, widened to words of 64 bits.
// No pointer needs to be aligned beyond its type; counts may be 0. Running times and memory addresses do not depend on
// keys or lanes.
//
// The files expansion_avx2.cc, expansion_vaes.cc and expansion_avx512.cc are compiled for the CPUs in their names.
// Files for one kind of CPU contain only intrinsics and raw pointers: otherwise the linker might use their copy of an
// inline library function for all CPUs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sotto {

// How a word is combined with the next lane of the stream.
enum class Combine : std::uint8_t { store, add, subtract, exclusive_or };

struct Expansion {
  using Word = std::uint64_t;
  using Byte = unsigned char;
  static constexpr std::size_t group_bytes = 256;
  static constexpr std::size_t group_words = group_bytes / sizeof(Word);
  static constexpr std::size_t round_key_bytes = 11 * 16;

  const char* name;

  // Writes the 11 round keys of a key of 16 bytes. In the baseline table, schedule, write_stream and combine_stream are
  // null, because OpenSSL runs the cipher.
  void (*schedule)(Byte* round_keys, const Byte* key);
  // out = the groups first .. first + groups - 1 of the stream.
  void (*write_stream)(Byte* out, const Byte* round_keys, std::uint64_t first, std::size_t groups);
  // out[i] = (out[i] combined with word i of the groups first .. first + groups - 1) & mask, straight from registers.
  // The array is indexed by Combine.
  void (*combine_stream[4])(Word* out, const Byte* round_keys, std::uint64_t first, std::size_t groups, Word mask);
  // out[i] = (out[i] combined with lane i at `in`) & mask. The array is indexed by Combine, then by log2 of a lane's
  // bytes. Reads no bytes except the lanes.
  void (*combine_lanes[4][4])(Word* out, const Byte* in, std::size_t lanes, Word mask);
};

// The table of this process. Throws the errors of kernels().
[[nodiscard]] const Expansion& expansion();

// All tables that this CPU runs, the slowest (baseline) first. The avx2 table uses VAES if the CPU has VAES.
[[nodiscard]] std::vector<const Expansion*> available_expansions();

namespace kernel {

extern const Expansion baseline_expansion;
extern const Expansion avx2_expansion;
extern const Expansion avx512_expansion;

// The key schedule by AES-NI, for the tables of both kinds of CPU that have AES-NI.
void aes_schedule(unsigned char* round_keys, const unsigned char* key);

// Puts the loops for CPUs with VAES into a copy of avx2_expansion.
void use_vaes(Expansion& table);

}  // namespace kernel

}  // namespace sotto
