// Encrypts a role's stored data with AES-256-GCM.
//
// The key is HKDF-SHA256 (RFC 5869) of a secret that is derived from the role's private key. The info input of HKDF is
// the role and the session of the run, so a key of another role or run opens no row. The associated data binds a row to
// its place, so nobody can move rows within a store or between stores.
//
//     sealed = nonce 12 bytes | ciphertext | tag 16 bytes
//     nonce  = first 12 bytes of F_b(fresh 12 bytes | F_c(text)) with c = F_a(place)
//
// F is SipHash-2-4 with 128 bits of output, a pseudorandom function. The keys `a` and `b`, of 16 bytes each, follow the
// AES key in the output of HKDF. Two equal nonces become a risk only after a run has written 2^32 rows. Fresh bytes may
// repeat, for example in a virtual machine that is resumed twice. Even then, different rows get different nonces.
// Someone who sees the stores of both resumed machines then learns whether two rows at one place are equal, and nothing
// else.
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

// Fresh bytes from the operating system, drawn for many rows at a time. Only one thread at a time may use this object.
class SealingNonces {
 public:
  static constexpr std::size_t size = 12;  // bytes

  [[nodiscard]] std::span<const std::byte, size> next();
  void top_up();

 private:
  static constexpr std::size_t most = 256;
  std::array<std::byte, most * size> drawn_;
  std::size_t left_ = 0;  // number of unused nonces, at the front of drawn_
};

class SealingKey {
 public:
  static constexpr std::size_t size = 32;                            // bytes
  static constexpr std::size_t overhead = SealingNonces::size + 16;  // bytes

  // Throws std::invalid_argument if `secret` has less than 16 bytes. `purpose` is public and has at most 1024 bytes.
  [[nodiscard]] static SealingKey derive(std::span<const std::byte> secret, std::string_view purpose);

  SealingKey(const SealingKey&) = delete;
  SealingKey& operator=(const SealingKey&) = delete;
  SealingKey(SealingKey&& other) noexcept;
  SealingKey& operator=(SealingKey&& other) = delete;
  ~SealingKey();

  [[nodiscard]] std::vector<std::byte> seal(std::span<const std::byte> text, std::string_view place) const;
  [[nodiscard]] std::vector<std::byte> seal(std::span<const std::byte> text, std::string_view place,
                                            SealingNonces& nonces) const;
  // Returns nothing unless seal() made `sealed` with this key for this place.
  [[nodiscard]] std::optional<std::vector<std::byte>> open(std::span<const std::byte> sealed,
                                                           std::string_view place) const;

 private:
  SealingKey() = default;
  [[nodiscard]] std::vector<std::byte> seal(std::span<const std::byte> text, std::string_view place,
                                            std::span<const std::byte, SealingNonces::size> fresh) const;
  static constexpr std::size_t all_bytes = size + 2 * 16;
  std::array<std::byte, all_bytes> bytes_{};
};

}  // namespace sotto::apps
