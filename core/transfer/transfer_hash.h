// The hash that makes transfers random: AES-128 under a fixed public key, in the form TMMO of Guo, Katz, Wang and Yu,
// "Efficient and Secure Multiparty Computation from Fixed-Key Block Ciphers" (IEEE S&P 2020), section 7.4:
//
//     H(t, x) = P(P(x) ^ t) ^ P(x)
//
// It is tweakable circular correlation robust where P is an ideal permutation: for a secret d of 128 bits, H(t, x ^ d)
// looks uniform to whoever chooses x and t, as long as no pair of them comes twice. P(x) alone is not, as everybody can
// invert it, and P(x) ^ x has no tweak. Two calls of the cipher a row of 16 bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>

#include "core/transfer/bits128.h"
#include "core/transfer/transfer_kernels.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/random/expansion.h"

struct evp_cipher_ctx_st;

namespace sotto {

// Tweaks of the hash of transfers: numbers that are handed out once.
//
// A range of tweaks can be moved, not copied, and a hash takes it away from its caller: whoever wants to hash again has
// to take fresh ones. What was moved away is empty.

class Tweaks;

// Tweaks that follow each other. Made by Tweaks alone.
class TweakRange {
 public:
  TweakRange(const TweakRange&) = delete;
  TweakRange& operator=(const TweakRange&) = delete;
  TweakRange(TweakRange&& other) noexcept : first_(other.first_), count_(std::exchange(other.count_, 0)) {}
  TweakRange& operator=(TweakRange&& other) noexcept {
    first_ = other.first_;
    count_ = std::exchange(other.count_, 0);
    return *this;
  }
  ~TweakRange() = default;

  [[nodiscard]] const Bits128& first() const noexcept { return first_; }
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }

 private:
  friend class Tweaks;
  TweakRange(const Bits128& first, std::uint64_t count) noexcept : first_(first), count_(count) {}

  Bits128 first_;
  std::uint64_t count_;
};

// Hands out the tweaks (domain, 0), (domain, 1), ... of 64 bits each: 2^64 - 1 in all. Where two of one domain exist,
// their users' hashes must have secrets of their own, as the two ends of one set-up do.
class Tweaks {
 public:
  explicit Tweaks(std::uint64_t domain) noexcept : domain_(domain) {}
  Tweaks(const Tweaks&) = delete;
  Tweaks& operator=(const Tweaks&) = delete;
  Tweaks(Tweaks&& other) noexcept
      : domain_(other.domain_), next_(std::exchange(other.next_, std::numeric_limits<std::uint64_t>::max())) {}
  Tweaks& operator=(Tweaks&& other) noexcept {
    domain_ = other.domain_;
    next_ = std::exchange(other.next_, std::numeric_limits<std::uint64_t>::max());
    return *this;
  }
  ~Tweaks() = default;

  // The next ones. Throws ResourceError when they are used up, as those that were moved away are.
  [[nodiscard]] TweakRange take(std::uint64_t count) {
    if (count > std::numeric_limits<std::uint64_t>::max() - next_) {
      throw ResourceError("the tweaks of this set-up of oblivious transfers are used up; set up anew");
    }
    const Bits128 first{{next_, domain_}};
    next_ += count;
    return {first, count};
  }

 private:
  std::uint64_t domain_;
  std::uint64_t next_ = 0;
};

class TransferHash {
 public:
  // The key is public, and the same on both sides: the session's id, say. Throws ResourceError if OpenSSL is needed and
  // cannot run the cipher.
  explicit TransferHash(std::span<const std::byte, 16> key);
  // By the kernels of `table`, which must outlive the hash; it is the same.
  TransferHash(std::span<const std::byte, 16> key, const TransferKernels& table);

  // out[i] = H(tweak i, rows[i]): the receiver's side. `out` may be `rows`. Sizes that differ, as those of tweaks that
  // were used before, are std::invalid_argument.
  void one(TweakRange tweaks, std::span<const Bits128> rows, std::span<Bits128> out) const;
  // zero[i] = H(tweak i, rows[i]), one[i] = H(tweak i, rows[i] ^ difference): the sender's. `zero` may be `rows`.
  void both(TweakRange tweaks, std::span<const Bits128> rows, const Bits128& difference, std::span<Bits128> zero,
            std::span<Bits128> one) const;

 private:
  struct FreeContext {
    void operator()(evp_cipher_ctx_st* context) const noexcept;
  };
  void run(const TweakRange& tweaks, std::span<const Bits128> rows, const Bits128& offset,
           std::span<Bits128> out) const;
  void encrypt(std::span<Bits128> blocks) const;

  const TransferKernels& table_;
  std::array<unsigned char, Expansion::round_key_bytes> round_keys_{};  // if the table has a hash
  std::unique_ptr<evp_cipher_ctx_st, FreeContext> openssl_;             // if it has none
};

}  // namespace sotto
