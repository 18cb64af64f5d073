// The bearer token of a TCP port, from a file that its owner alone can read.
//
// The file holds 32 to 512 characters of A-Z a-z 0-9 - . _ ~ + / and = at the end (RFC 6750), and perhaps the end of a
// line: `openssl rand -hex 32` makes one. What is kept is its SHA-256, and what a client gives is compared by its
// SHA-256 in constant time, so that time tells neither length nor content.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <string_view>

namespace sotto::apps {

inline constexpr std::size_t shortest_token = 32;
inline constexpr std::size_t longest_token = 512;

class TokenGuard {
 public:
  // Throws InputError that names the file: it cannot be read, others can read it, it holds no such token.
  explicit TokenGuard(std::filesystem::path file);

  // Takes the token that the file has now; with the same errors, after which the old one still holds.
  void read_again();
  // Whether `authorization` is "Bearer" and the token.
  [[nodiscard]] bool admits(std::string_view authorization) const;
  [[nodiscard]] bool is_same_token(const TokenGuard& other) const { return digest_ == other.digest_; }

 private:
  std::filesystem::path file_;
  std::array<std::byte, 32> digest_;
};

}  // namespace sotto::apps
