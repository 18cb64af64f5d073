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
#include <memory>
#include <span>

#include "core/transfer/bits128.h"
#include "core/transfer/transfer_kernels.h"
#include "core/transfer/tweaks.h"
#include "sotto/protocol/random/expansion.h"

struct evp_cipher_ctx_st;

namespace sotto {

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
