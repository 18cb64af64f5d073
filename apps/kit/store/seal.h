// Encryption of what a role stores: AES-256-GCM under a key that follows from the role's private key.
//
// The key is HKDF-SHA256 (RFC 5869) of a secret that follows from the private key, with the role and the session of the
// run as info: another role, another run or another private key opens nothing. Every sealed text has a fresh 12-byte
// nonce of the operating system; a run would have to write 2^32 rows before two of them could be feared to meet. The
// associated data binds a row to its place, so that rows cannot be moved about in a store or between stores.
//
//     sealed = nonce 12 bytes | ciphertext | tag 16 bytes
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

class SealingKey {
 public:
  static constexpr std::size_t size = 32;           // bytes
  static constexpr std::size_t overhead = 12 + 16;  // bytes that sealing adds

  // `secret`: at least 16 bytes (std::invalid_argument). `purpose`: public, at
  // most 1024 bytes.
  [[nodiscard]] static SealingKey derive(std::span<const std::byte> secret, std::string_view purpose);

  SealingKey(const SealingKey&) = delete;
  SealingKey& operator=(const SealingKey&) = delete;
  SealingKey(SealingKey&& other) noexcept;
  SealingKey& operator=(SealingKey&& other) = delete;
  ~SealingKey();

  [[nodiscard]] std::vector<std::byte> seal(std::span<const std::byte> text, std::string_view place) const;
  // Nothing unless `sealed` is what seal() made under this key for this place.
  [[nodiscard]] std::optional<std::vector<std::byte>> open(std::span<const std::byte> sealed,
                                                           std::string_view place) const;

 private:
  SealingKey() = default;
  std::array<std::byte, size> bytes_{};
};

}  // namespace sotto::apps
