// Encryption of a role's stored data: AES-256-GCM with a key that is derived from the role's private key.
//
// The key is HKDF-SHA256 (RFC 5869) of a secret that is derived from the private key. The info input of HKDF is the
// role and the session of the run. A key of another role, of another run or from another private key therefore opens no
// row. The associated data binds a row to its place, so that rows cannot be moved within a store or between stores.
//
//     sealed = nonce 12 bytes | ciphertext | tag 16 bytes
//     nonce  = first 12 bytes of F_b(fresh 12 bytes | F_c(text)) with c = F_a(place)
//
// F is SipHash-2-4 with 128 bits of output, a pseudorandom function. The keys `a` and `b`, of 16 bytes each, follow the
// AES key in the output of HKDF. The fresh bytes come from the operating system, and are drawn for the row or in
// advance. Two equal nonces become a risk only after a run has written 2^32 rows. Fresh bytes may repeat, for example
// in a virtual machine that is resumed twice. Even if fresh bytes repeat, different rows get different nonces. Someone
// who sees the stores of both copies of the machine learns whether two rows at one place are equal, and nothing else. A
// row is opened with its own stored nonce. Rows of earlier versions, whose nonces were the fresh bytes themselves,
// therefore stay readable.
//
// Throws ResourceError if OpenSSL lacks an algorithm or the system gives no randomness.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace sotto::apps {

// A supply of fresh bytes for nonces. The bytes are drawn for many rows at a time, because a draw takes longer than
// sealing a row. Only one thread at a time may use this object.
class SealingNonces {
 public:
  static constexpr std::size_t size = 12;  // bytes

  // Returns fresh bytes that were not used before.
  [[nodiscard]] std::span<const std::byte, size> next();
  // Draws new bytes in advance, so that next() need not draw them.
  void top_up();

 private:
  static constexpr std::size_t most = 256;
  std::array<std::byte, most * size> drawn_;
  std::size_t left_ = 0;  // unused nonces, at the beginning of drawn_
};

class SealingKey {
 public:
  static constexpr std::size_t size = 32;                            // bytes
  static constexpr std::size_t overhead = SealingNonces::size + 16;  // bytes that sealing adds

  // Derives a key from `secret`, which must have at least 16 bytes (otherwise throws std::invalid_argument). `purpose`
  // is public and has at most 1024 bytes.
  [[nodiscard]] static SealingKey derive(std::span<const std::byte> secret, std::string_view purpose);

  SealingKey(const SealingKey&) = delete;
  SealingKey& operator=(const SealingKey&) = delete;
  SealingKey(SealingKey&& other) noexcept;
  SealingKey& operator=(SealingKey&& other) = delete;
  ~SealingKey();

  [[nodiscard]] std::vector<std::byte> seal(std::span<const std::byte> text, std::string_view place) const;
  [[nodiscard]] std::vector<std::byte> seal(std::span<const std::byte> text, std::string_view place,
                                            SealingNonces& nonces) const;
  // Returns the opened row, or nothing unless seal() made `sealed` with this key for this place.
  [[nodiscard]] std::optional<std::vector<std::byte>> open(std::span<const std::byte> sealed,
                                                           std::string_view place) const;

 private:
  SealingKey() = default;
  [[nodiscard]] std::vector<std::byte> seal(std::span<const std::byte> text, std::string_view place,
                                            std::span<const std::byte, SealingNonces::size> fresh) const;
  // The number of bytes of the AES key, `a` and `b` together, which bytes_ stores in this order.
  static constexpr std::size_t all_bytes = size + 2 * 16;
  std::array<std::byte, all_bytes> bytes_{};
};

}  // namespace sotto::apps
