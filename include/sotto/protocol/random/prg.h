// Expands a seed into a stream of uniform bytes: AES-128 in counter mode, with the seed as the key and a counter that
// starts at 0.
//
// Two generators with the same seed give the same answers, on any machine, if both get the same requests in the same
// order. The draws of the roles match the draws of the dealer only because generators with the same seed agree. A lane
// of `bits` bits takes the next 1, 2, 4 or 8 bytes of the stream, little-endian: the smallest size that holds the lane.
// A lane is the low bits of the bytes that it takes. No byte is skipped between calls, so fill(10 lanes) twice equals
// fill(20 lanes) once.
//
// The stream is combined straight from registers or from a tile of 2 KB: fill, add_to, subtract_from and xor_to never
// write the expansion to memory. The kernels are those of expansion.h. The tile and the round keys are wiped on
// destruction. A generator must be used from only one thread at a time.
//
// Errors: std::invalid_argument for bits outside 1..64, for below(0), and for a generator or seed that was moved away.
// ResourceError if OpenSSL is needed and has no AES.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>

#include "sotto/protocol/random/expansion.h"
#include "sotto/protocol/random/seed.h"

struct evp_cipher_ctx_st;

namespace sotto {

// Bytes of the stream that one lane of `bits` bits takes: 1, 2, 4 or 8.
[[nodiscard]] constexpr std::size_t stream_bytes(unsigned bits) {
  return bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8;
}

class Prg {
 public:
  explicit Prg(const Seed& seed);
  // Uses the kernels of `table`, which must outlive the generator; the stream is the same for all tables.
  Prg(const Seed& seed, const Expansion& table);
  Prg(const Prg&) = delete;
  Prg& operator=(const Prg&) = delete;
  Prg(Prg&&) noexcept;
  Prg& operator=(Prg&&) noexcept;
  ~Prg();

  // out[i] = the next lane, uniform in [0, 2^bits).
  void fill(std::span<std::uint64_t> out, unsigned bits);
  // out[i] = (out[i] + the next lane) mod 2^bits.
  void add_to(std::span<std::uint64_t> out, unsigned bits);
  // out[i] = (out[i] - the next lane) mod 2^bits.
  void subtract_from(std::span<std::uint64_t> out, unsigned bits);
  // out[i] = (out[i] XOR the next lane) mod 2^bits.
  void xor_to(std::span<std::uint64_t> out, unsigned bits);

  // Returns one lane of 64 bits.
  [[nodiscard]] std::uint64_t next();
  // Exactly uniform in [0, n), n >= 1, by rejection. Each trial takes 8 bytes of the stream.
  [[nodiscard]] std::uint64_t below(std::uint64_t n);
  // The next bytes of the stream.
  void bytes(std::span<std::byte> out);

 private:
  class Stream;
  Stream& stream();

  std::unique_ptr<Stream> stream_;
};

// Exactly uniform in [0, n). Draws words from `next` until a word is at least 2^64 mod n: smaller words would favour
// small answers. Throws std::invalid_argument if n is 0.
template <class Next>
[[nodiscard]] std::uint64_t uniform_below(std::uint64_t n, Next&& next) {
  if (n == 0) throw std::invalid_argument("there is no number below 0");
  for (;;) {
    const std::uint64_t word = next();
    // 2^64 mod n is below n, so only few words need the second division.
    if (word >= n || word >= (0 - n) % n) return word % n;
  }
}

// The key stream of AES-128 in counter mode, in groups of 256 bytes, with a counter that starts at 0: the source of
// Prg's tiles. The stream is made by the kernels of a table of expansion.h, or by OpenSSL if the table has no cipher.
// The round keys are wiped on destruction. Throws ResourceError if OpenSSL is needed and cannot run the cipher.
class KeyStream {
 public:
  KeyStream(std::span<const std::byte, 16> key, const Expansion& table);
  KeyStream(const KeyStream&) = delete;
  KeyStream& operator=(const KeyStream&) = delete;
  ~KeyStream();

  // Fills `out` with the next groups of the stream. The size of `out` is a multiple of Expansion::group_bytes.
  void write(std::span<unsigned char> out);

  // True if combine() may be called, because the table can combine from registers.
  [[nodiscard]] bool combines() const noexcept { return table_.schedule != nullptr; }
  // out[i] = (out[i] combined with the next word) & mask. The size of `out` is a multiple of Expansion::group_words.
  void combine(std::span<std::uint64_t> out, Combine how, std::uint64_t mask);

 private:
  struct FreeContext {
    void operator()(evp_cipher_ctx_st* context) const noexcept;
  };

  const Expansion& table_;
  std::uint64_t group_ = 0;                                           // the next group
  std::array<unsigned char, Expansion::round_key_bytes> round_keys_;  // used if the table has a cipher
  std::unique_ptr<evp_cipher_ctx_st, FreeContext> openssl_;           // used if the table has no cipher
};

}  // namespace sotto
