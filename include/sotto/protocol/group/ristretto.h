// The group ristretto255 (RFC 9496), of prime order near 2^252, in which the Diffie-Hellman problem is assumed to be
// hard. libsodium does the arithmetic, in constant time.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace sotto {

// The encoding of an element: equal elements have equal bytes.
using GroupElement = std::array<std::byte, 32>;

// A secret exponent, uniform and not 0, whose bytes are wiped when the scalar is destroyed or moved away.
class GroupScalar {
 public:
  static constexpr std::size_t size = 32;  // bytes

  // Throws ResourceError if the operating system gives no randomness.
  [[nodiscard]] static GroupScalar from_os();
  // The exponent with these bytes; nothing if the exponent is 0 or not below the group's order.
  [[nodiscard]] static std::optional<GroupScalar> from_bytes(std::span<const std::byte, size> bytes);

  GroupScalar(const GroupScalar&) = delete;
  GroupScalar& operator=(const GroupScalar&) = delete;
  GroupScalar(GroupScalar&& other) noexcept;
  GroupScalar& operator=(GroupScalar&& other) noexcept;
  ~GroupScalar();

  // The inverse of this exponent, and the product of this exponent and `other`.
  [[nodiscard]] GroupScalar inverse() const;
  [[nodiscard]] GroupScalar times(const GroupScalar& other) const;
  [[nodiscard]] std::span<const std::byte, size> expose() const { return bytes_; }

 private:
  GroupScalar() = default;
  std::array<std::byte, size> bytes_{};
};

// element^scalar, in about 60 us; nothing if `element` encodes no element, or the neutral element.
[[nodiscard]] std::optional<GroupElement> power(const GroupElement& element, const GroupScalar& scalar);

// The power of the generator, in about 20 us.
[[nodiscard]] GroupElement power_of_generator(const GroupScalar& scalar);

// a b, and a / b; nothing if the bytes of a or of b encode no element.
[[nodiscard]] std::optional<GroupElement> group_product(const GroupElement& a, const GroupElement& b);
[[nodiscard]] std::optional<GroupElement> group_quotient(const GroupElement& a, const GroupElement& b);

// A uniform element with an unknown logarithm. Throws ResourceError if the operating system gives no randomness.
[[nodiscard]] GroupElement random_element();

// Hashes the text to an element with an unknown logarithm: hash_to_ristretto255 with expand_message_xmd and SHA-512
// (RFC 9497 section 4.1, RFC 9380 section 5.3.1). `domain` separates uses of the hash. Throws std::invalid_argument
// unless `domain` has 1 to 255 bytes.
[[nodiscard]] GroupElement hash_to_group(std::string_view text, std::string_view domain);

}  // namespace sotto
