// A 128-bit secret from which randomness is expanded (see prg.h).
//
// A seed is owned in one place: it can be moved but not copied, and its bytes are wiped when it is destroyed or moved
// away. A seed has no ==, no << and no conversion. Only expose() returns the bytes of a seed, so that `grep expose`
// finds every use. A seed that was moved away holds nothing: its functions expose() and derive() throw
// std::invalid_argument, since zeros in place of a secret would be a silent disaster.
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

  // Fresh bytes of the operating system's generator. Throws ResourceError if the generator gives no bytes.
  [[nodiscard]] static Seed from_os();
  // The seed whose bytes another role got from expose() and sent over a link.
  [[nodiscard]] static Seed from_bytes(std::span<const std::byte, size> bytes);
  // A seed that everybody can guess, for runs that must be repeatable and protect nothing.
  [[nodiscard]] static Seed insecure_from_number(std::uint64_t number);

  Seed(const Seed&) = delete;
  Seed& operator=(const Seed&) = delete;
  Seed(Seed&& other) noexcept;
  Seed& operator=(Seed&& other) noexcept;
  ~Seed();

  // A seed for one purpose: HKDF-Expand with SHA-256 (RFC 5869, 2.3), with this seed as the key and `label` as the
  // info. Different labels give seeds that look independent. Labels have at most 1024 bytes.
  [[nodiscard]] Seed derive(std::string_view label) const;

  // The secret bytes, to send them over a link or to key a generator.
  [[nodiscard]] std::span<const std::byte, size> expose() const;

 private:
  Seed() = default;
  void wipe() noexcept;

  std::array<std::byte, size> bytes_{};
  bool held_ = true;  // false once moved away
};

}  // namespace sotto
