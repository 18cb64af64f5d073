// SHA-256 (FIPS 180-4), of OpenSSL.
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

// A collision-resistant hash of what is added piece by piece: BLAKE2b (RFC 7693) of OpenSSL, cut to 32 bytes. It takes
// much the same time on every processor, and half the instructions of SHA-256 where that has none of its own.

class RunningHash {
 public:
  // Throws ResourceError where OpenSSL has none.
  RunningHash();

  void add(std::span<const std::byte> bytes);
  // Of all that was added. Nothing is to be added after it.
  [[nodiscard]] std::array<std::byte, 32> finish();

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const noexcept;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

// Bytes as text: two lower-case hex digits each.

[[nodiscard]] std::string hex(std::span<const std::byte> bytes);
// Whether a text is so many of these digits, and nothing else.
[[nodiscard]] bool is_hex(std::string_view text, std::size_t digits) noexcept;

}  // namespace sotto
