// A 128-bit secret from which randomness is expanded; it cannot be copied, and is wiped when it is destroyed or moved
// away. Only expose() returns the bytes, so `grep expose` finds every use. expose() and derive() of a moved-away seed
// throw std::invalid_argument, because the wiped bytes are no secret.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace sotto {

class Seed {
 public:
  static constexpr std::size_t size = 16;  // bytes

  // Draws a seed from the operating system. Throws ResourceError if the system gives no bytes.
  [[nodiscard]] static Seed from_os();
  // The seed with bytes that another role got from expose().
  [[nodiscard]] static Seed from_bytes(std::span<const std::byte, size> bytes);
  // A seed that everybody can guess, for runs that must be repeatable and protect nothing.
  [[nodiscard]] static Seed insecure_from_number(std::uint64_t number);

  Seed(const Seed&) = delete;
  Seed& operator=(const Seed&) = delete;
  Seed(Seed&& other) noexcept;
  Seed& operator=(Seed&& other) noexcept;
  ~Seed();

  // A seed for one purpose, by HKDF-Expand with SHA-256 (RFC 5869, 2.3). Different labels, of at most 1024 bytes, give
  // seeds that look independent.
  [[nodiscard]] Seed derive(std::string_view label) const;

  [[nodiscard]] std::span<const std::byte, size> expose() const;

 private:
  Seed() = default;
  void wipe() noexcept;

  std::array<std::byte, size> bytes_{};
  bool held_ = true;
};

}  // namespace sotto
