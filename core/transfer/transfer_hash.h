// The hash that makes transfers random: AES-128 under a fixed public key, as TMMO of Guo, Katz, Wang and Yu, "Efficient
// and Secure Multiparty Computation from Fixed-Key Block Ciphers" (IEEE S&P 2020), section 7.4:
//
//     H(t, x) = P(P(x) ^ t) ^ P(x)
//
// Let P be an ideal permutation. Then H is tweakable circular correlation robust: for a secret d, H(t, x ^ d) looks
// uniform to a party that chooses x and t, if no pair of x and t occurs twice. P(x) alone is not robust, because
// everybody can invert P. P(x) ^ x has no tweak.
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

// Tweaks: each tweak is given out only once. A range of tweaks cannot be copied, and each call of the hash consumes a
// range.

class Tweaks;

// A range of consecutive tweaks, which only Tweaks makes.
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

// The tweaks (domain, 0), (domain, 1), ..., 2^64 - 1 in all. Two Tweaks of one domain may exist only if their users
// hash with separate secrets, as the two ends of one set-up do.
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

  // Throws ResourceError if the tweaks are used up.
  [[nodiscard]] TweakRange take(std::uint64_t count) {
    if (count > std::numeric_limits<std::uint64_t>::max() - next_) {
      throw ResourceError("the tweaks of this set-up of oblivious transfers are used up; set up again");
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
  // The key is public and the same on both sides. Throws ResourceError if the table uses the AES of OpenSSL, and
  // OpenSSL cannot run the cipher.
  explicit TransferHash(std::span<const std::byte, 16> key);
  // `table` must outlive the hash. All tables compute the same hashes.
  TransferHash(std::span<const std::byte, 16> key, const TransferKernels& table);

  // The receiver's side: out[i] = H(tweak i, rows[i]), where `out` may be `rows`. Throws std::invalid_argument if sizes
  // differ.
  void one(TweakRange tweaks, std::span<const Bits128> rows, std::span<Bits128> out) const;
  // The sender's side: zero[i] = H(tweak i, rows[i]), one[i] = H(tweak i, rows[i] ^ difference), where `zero` may be
  // `rows`.
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
  std::array<unsigned char, Expansion::round_key_bytes> round_keys_{};
  std::unique_ptr<evp_cipher_ctx_st, FreeContext> openssl_;
};

}  // namespace sotto
