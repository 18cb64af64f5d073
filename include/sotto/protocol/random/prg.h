// Expands a seed into a stream of uniform bytes: AES-128 in counter mode, with the seed as the key and a counter from
// 0.
//
// Generators with the same seed and the same requests compute the same words on any machine. A lane is the low `bits`
// bits of the next 1, 2, 4 or 8 bytes of the stream, little-endian: the smallest size that fits. No byte is skipped.
// Prg wipes the expansion and the round keys on destruction. Only one thread at a time may use a Prg.
//
// Throws std::invalid_argument for bits outside 1..64, and for a generator or seed that was moved away. Throws
// ResourceError if the table uses the AES of OpenSSL, and OpenSSL has none.
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

// Bytes of the stream for one lane: 1, 2, 4 or 8.
[[nodiscard]] constexpr std::size_t stream_bytes(unsigned bits) {
  return bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8;
}

class Prg {
 public:
  explicit Prg(const Seed& seed);
  // `table` must outlive the generator; all tables compute the same stream.
  Prg(const Seed& seed, const Expansion& table);
  Prg(const Prg&) = delete;
  Prg& operator=(const Prg&) = delete;
  Prg(Prg&&) noexcept;
  Prg& operator=(Prg&&) noexcept;
  ~Prg();

  void fill(std::span<std::uint64_t> out, unsigned bits);
  // out[i] = (out[i] + the next lane) mod 2^bits.
  void add_to(std::span<std::uint64_t> out, unsigned bits);
  // out[i] = (out[i] - the next lane) mod 2^bits.
  void subtract_from(std::span<std::uint64_t> out, unsigned bits);
  void xor_to(std::span<std::uint64_t> out, unsigned bits);

  [[nodiscard]] std::uint64_t next();
  // A number that is exactly uniform in [0, n), for n >= 1.
  [[nodiscard]] std::uint64_t below(std::uint64_t n);
  void bytes(std::span<std::byte> out);

 private:
  class Stream;
  Stream& stream();

  std::unique_ptr<Stream> stream_;
};

// A number that is exactly uniform in [0, n), from the words that next() returns. Rejects words below 2^64 mod n, which
// would make small results more likely. Throws std::invalid_argument if n is 0.
template <class Next>
[[nodiscard]] std::uint64_t uniform_below(std::uint64_t n, Next&& next) {
  if (n == 0) throw std::invalid_argument("there is no number below 0");
  for (;;) {
    const std::uint64_t word = next();
    // 2^64 mod n is below n, so only few words need the second division.
    if (word >= n || word >= (0 - n) % n) return word % n;
  }
}

// The key stream of AES-128 in counter mode from counter 0, in groups of 256 bytes. Throws ResourceError if the table
// uses the AES of OpenSSL, and OpenSSL cannot run the cipher.
class KeyStream {
 public:
  KeyStream(std::span<const std::byte, 16> key, const Expansion& table);
  KeyStream(const KeyStream&) = delete;
  KeyStream& operator=(const KeyStream&) = delete;
  ~KeyStream();

  // The size of `out` is a multiple of Expansion::group_bytes.
  void write(std::span<unsigned char> out);

  // True if combine() may be called.
  [[nodiscard]] bool combines() const noexcept { return table_.schedule != nullptr; }
  // out[i] = (out[i] combined with the next word) & mask, for a multiple of Expansion::group_words.
  void combine(std::span<std::uint64_t> out, Combine how, std::uint64_t mask);

 private:
  struct FreeContext {
    void operator()(evp_cipher_ctx_st* context) const noexcept;
  };

  const Expansion& table_;
  std::uint64_t group_ = 0;
  std::array<unsigned char, Expansion::round_key_bytes> round_keys_;
  std::unique_ptr<evp_cipher_ctx_st, FreeContext> openssl_;
};

}  // namespace sotto
