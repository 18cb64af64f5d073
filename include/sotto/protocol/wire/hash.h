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

// Throws ResourceError where OpenSSL has none.
[[nodiscard]] std::array<std::byte, 32> sha256(std::string_view text);

// A collision-resistant hash of bytes that are added piece by piece: BLAKE2b (RFC 7693) of OpenSSL, cut to 32 bytes. It
// takes much the same time on every processor. It takes half the instructions of SHA-256 where the processor has no
// SHA-256 of its own.

class RunningHash {
 public:
  // Throws ResourceError where OpenSSL has none.
  RunningHash();

  void add(std::span<const std::byte> bytes);
  // The hash of everything that was added. Nothing may be added after it.
  [[nodiscard]] std::array<std::byte, 32> finish();

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const noexcept;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

// Bytes as text: two lower-case hex digits each.

[[nodiscard]] std::string hex(std::span<const std::byte> bytes);
// Whether a text is exactly `digits` lower-case hex digits.
[[nodiscard]] bool is_hex(std::string_view text, std::size_t digits) noexcept;

}  // namespace sotto
