// The group ristretto255 (RFC 9496). The order of the group is a prime near 2^252, and the Diffie-Hellman problem in
// the group is assumed to be hard. An element is represented by its encoding of 32 bytes. The library libsodium does
// the arithmetic, in constant time.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace sotto {

// The encoding of an element: equal elements have equal bytes.
using GroupElement = std::array<std::byte, 32>;

// A secret exponent, uniform and not 0. A GroupScalar can be moved but not copied, and is wiped when it is destroyed or
// moved away.
class GroupScalar {
 public:
  static constexpr std::size_t size = 32;  // bytes

  // Throws ResourceError if the operating system gives no randomness.
  [[nodiscard]] static GroupScalar from_os();
  // The exponent whose bytes another role got from expose() and sent over a link. Returns nothing if the bytes are 0 or
  // not below the group's order.
  [[nodiscard]] static std::optional<GroupScalar> from_bytes(std::span<const std::byte, size> bytes);

  GroupScalar(const GroupScalar&) = delete;
  GroupScalar& operator=(const GroupScalar&) = delete;
  GroupScalar(GroupScalar&& other) noexcept;
  GroupScalar& operator=(GroupScalar&& other) noexcept;
  ~GroupScalar();

  // 1 / this, and this * other.
  [[nodiscard]] GroupScalar inverse() const;
  [[nodiscard]] GroupScalar times(const GroupScalar& other) const;
  [[nodiscard]] std::span<const std::byte, size> expose() const { return bytes_; }

 private:
  GroupScalar() = default;
  std::array<std::byte, size> bytes_{};
};

// element^scalar, in about 60 us. Returns nothing if the bytes of `element` encode no element, or the neutral element.
[[nodiscard]] std::optional<GroupElement> power(const GroupElement& element, const GroupScalar& scalar);

// The power of the generator, in about 20 us.
[[nodiscard]] GroupElement power_of_generator(const GroupScalar& scalar);

// a b, and a / b. Returns nothing if the bytes of a or of b encode no element.
[[nodiscard]] std::optional<GroupElement> group_product(const GroupElement& a, const GroupElement& b);
[[nodiscard]] std::optional<GroupElement> group_quotient(const GroupElement& a, const GroupElement& b);

// A uniform element, whose logarithm nobody knows. Throws ResourceError if the operating system gives no randomness.
[[nodiscard]] GroupElement random_element();

// Hashes the text to an element whose logarithm nobody knows: hash_to_ristretto255 with expand_message_xmd and SHA-512,
// as in RFC 9497 (section 4.1) and RFC 9380 (section 5.3.1). `domain` separates different uses of the hash, and has 1
// to 255 bytes (std::invalid_argument).
[[nodiscard]] GroupElement hash_to_group(std::string_view text, std::string_view domain);

}  // namespace sotto
