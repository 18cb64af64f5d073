// The name of a message, for errors, plans and the digest of a round.
#pragma once

#include <cstdint>
#include <string_view>

namespace sotto {

// FNV-1a detects roles whose programs are out of step. It authenticates nothing.
constexpr std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

class Label {
 public:
  // Implicit, so that a call reads mask(party, z, "scores").
  consteval Label(const char* text) : text_(text), hash_(fnv1a(text_)) {}  // NOLINT(google-explicit-constructor)
  [[nodiscard]] constexpr std::string_view text() const { return text_; }
  [[nodiscard]] constexpr std::uint64_t hash() const { return hash_; }

 private:
  std::string_view text_;
  std::uint64_t hash_;
};

}  // namespace sotto
