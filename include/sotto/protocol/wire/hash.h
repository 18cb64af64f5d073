// SHA-256 (FIPS 180-4), by OpenSSL.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

struct evp_md_ctx_st;

namespace sotto {

// Throws ResourceError if OpenSSL has no SHA-256.
[[nodiscard]] std::array<std::byte, 32> sha256(std::string_view text);

// A collision-resistant hash of bytes that are added piece by piece: BLAKE2b (RFC 7693), cut to 32 bytes. BLAKE2b is
// faster than SHA-256 on CPUs without instructions for SHA-256.

class RunningHash {
 public:
  // Throws ResourceError if OpenSSL has no BLAKE2b.
  RunningHash();

  void add(std::span<const std::byte> bytes);
  // Nothing may be added after this call.
  [[nodiscard]] std::array<std::byte, 32> finish();

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const noexcept;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

// The bytes as text, two lower-case hex digits per byte.

[[nodiscard]] std::string hex(std::span<const std::byte> bytes);
// True for exactly `digits` lower-case hex digits.
[[nodiscard]] bool is_hex(std::string_view text, std::size_t digits) noexcept;

}  // namespace sotto
