// Encryption of what a role stores: AES-256-GCM under a key that follows from the role's private key.
//
// The key is HKDF-SHA256 (RFC 5869) of a secret that follows from the private key, with the role and the session of the
// run as info: another role, another run or another private key opens nothing. The associated data binds a row to its
// place, so that rows cannot be moved about in a store or between stores.
//
//     sealed = nonce 12 bytes | ciphertext | tag 16 bytes
//     nonce  = first 12 bytes of F_b(fresh 12 bytes | F_c(text)) with c = F_a(place)
//
// F is SipHash-2-4 with 128 bits of output, a pseudorandom function; a and b are 16 bytes of HKDF behind the key. The
// fresh bytes are of the operating system, drawn for the row or ahead; a run would have to write 2^32 rows before two
// nonces could be feared to meet. Where fresh bytes come twice, as in a virtual machine that is resumed twice, other
// rows still get other nonces: whoever sees both stores learns of two rows at one place whether they are equal, and
// nothing else. A row is opened with the nonce that it brings, so rows of earlier versions, whose nonces were the fresh
// bytes themselves, stay readable.
//
// Throws ResourceError where OpenSSL lacks an algorithm or the system gives no randomness.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace sotto::apps {

// Fresh bytes for nonces, drawn for many rows at a time: a draw takes longer than sealing a row. For one thread at a
// time.
class SealingNonces {
 public:
  static constexpr std::size_t size = 12;  // bytes

  // One that nobody had.
  [[nodiscard]] std::span<const std::byte, size> next();
  // Draws now what next() would have to draw soon.
  void top_up();

 private:
  static constexpr std::size_t most = 256;
  std::array<std::byte, most * size> drawn_;
  std::size_t left_ = 0;  // nonces at the beginning of drawn_
};

class SealingKey {
 public:
  static constexpr std::size_t size = 32;                            // bytes
  static constexpr std::size_t overhead = SealingNonces::size + 16;  // bytes that sealing adds

  // `secret`: at least 16 bytes (std::invalid_argument). `purpose`: public, at
  // most 1024 bytes.
  [[nodiscard]] static SealingKey derive(std::span<const std::byte> secret, std::string_view purpose);

  SealingKey(const SealingKey&) = delete;
  SealingKey& operator=(const SealingKey&) = delete;
  SealingKey(SealingKey&& other) noexcept;
  SealingKey& operator=(SealingKey&& other) = delete;
  ~SealingKey();

  [[nodiscard]] std::vector<std::byte> seal(std::span<const std::byte> text, std::string_view place) const;
  [[nodiscard]] std::vector<std::byte> seal(std::span<const std::byte> text, std::string_view place,
                                            SealingNonces& nonces) const;
  // Nothing unless `sealed` is what seal() made under this key for this place.
  [[nodiscard]] std::optional<std::vector<std::byte>> open(std::span<const std::byte> sealed,
                                                           std::string_view place) const;

 private:
  SealingKey() = default;
  [[nodiscard]] std::vector<std::byte> seal(std::span<const std::byte> text, std::string_view place,
                                            std::span<const std::byte, SealingNonces::size> fresh) const;
  // Of AES, then a and b.
  static constexpr std::size_t all_bytes = size + 2 * 16;
  std::array<std::byte, all_bytes> bytes_{};
};

}  // namespace sotto::apps
