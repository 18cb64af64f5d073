#include "sotto/protocol/group/ristretto.h"

#include <sodium.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>

#include "sotto/protocol/error/errors.h"

namespace sotto {
namespace {

static_assert(crypto_core_ristretto255_BYTES == std::tuple_size_v<GroupElement>);
static_assert(crypto_core_ristretto255_SCALARBYTES == GroupScalar::size);

void begin_sodium() {
  static const bool ready = sodium_init() >= 0;
  if (!ready) throw ResourceError("libsodium finds no source of randomness in this system");
}

unsigned char* bytes_of(std::byte* bytes) { return reinterpret_cast<unsigned char*>(bytes); }
const unsigned char* bytes_of(const std::byte* bytes) { return reinterpret_cast<const unsigned char*>(bytes); }

class Sha512 {
 public:
  Sha512() { crypto_hash_sha512_init(&state_); }
  void add(std::span<const unsigned char> bytes) { crypto_hash_sha512_update(&state_, bytes.data(), bytes.size()); }
  void add(std::string_view text) { add(std::span(reinterpret_cast<const unsigned char*>(text.data()), text.size())); }
  void add(std::uint8_t byte) { add(std::span(&byte, 1)); }
  [[nodiscard]] std::array<unsigned char, crypto_hash_sha512_BYTES> finish() {
    std::array<unsigned char, crypto_hash_sha512_BYTES> digest{};
    crypto_hash_sha512_final(&state_, digest.data());
    return digest;
  }

 private:
  crypto_hash_sha512_state state_{};
};

}  // namespace

GroupScalar GroupScalar::from_os() {
  begin_sodium();
  GroupScalar scalar;
  crypto_core_ristretto255_scalar_random(bytes_of(scalar.bytes_.data()));
  return scalar;
}

std::optional<GroupScalar> GroupScalar::from_bytes(std::span<const std::byte, size> bytes) {
  GroupScalar scalar;
  std::copy(bytes.begin(), bytes.end(), scalar.bytes_.begin());
  std::array<std::byte, 2 * size> wide{};
  std::copy(bytes.begin(), bytes.end(), wide.begin());
  std::array<std::byte, size> reduced{};
  crypto_core_ristretto255_scalar_reduce(bytes_of(reduced.data()), bytes_of(wide.data()));
  const bool fits = reduced == scalar.bytes_ && sodium_is_zero(bytes_of(reduced.data()), size) == 0;
  sodium_memzero(wide.data(), wide.size());
  sodium_memzero(reduced.data(), reduced.size());
  if (!fits) return std::nullopt;
  return scalar;
}

GroupScalar::GroupScalar(GroupScalar&& other) noexcept : bytes_(other.bytes_) {
  sodium_memzero(other.bytes_.data(), size);
}

GroupScalar& GroupScalar::operator=(GroupScalar&& other) noexcept {
  if (this != &other) {
    bytes_ = other.bytes_;
    sodium_memzero(other.bytes_.data(), size);
  }
  return *this;
}

GroupScalar::~GroupScalar() { sodium_memzero(bytes_.data(), size); }

GroupScalar GroupScalar::inverse() const {
  GroupScalar inverse;
  if (crypto_core_ristretto255_scalar_invert(bytes_of(inverse.bytes_.data()), bytes_of(bytes_.data())) != 0) {
    throw std::invalid_argument("a scalar that was moved away has no inverse");
  }
  return inverse;
}

GroupScalar GroupScalar::times(const GroupScalar& other) const {
  GroupScalar product;
  crypto_core_ristretto255_scalar_mul(bytes_of(product.bytes_.data()), bytes_of(bytes_.data()),
                                      bytes_of(other.bytes_.data()));
  return product;
}

std::optional<GroupElement> power(const GroupElement& element, const GroupScalar& scalar) {
  GroupElement result;
  const int failed = crypto_scalarmult_ristretto255(bytes_of(result.data()), bytes_of(scalar.expose().data()),
                                                    bytes_of(element.data()));
  if (failed != 0) return std::nullopt;
  return result;
}

GroupElement power_of_generator(const GroupScalar& scalar) {
  GroupElement result;
  if (crypto_scalarmult_ristretto255_base(bytes_of(result.data()), bytes_of(scalar.expose().data())) != 0) {
    throw std::invalid_argument("a scalar that was moved away is no exponent");
  }
  return result;
}

std::optional<GroupElement> group_product(const GroupElement& a, const GroupElement& b) {
  GroupElement result;
  if (crypto_core_ristretto255_add(bytes_of(result.data()), bytes_of(a.data()), bytes_of(b.data())) != 0) {
    return std::nullopt;
  }
  return result;
}

std::optional<GroupElement> group_quotient(const GroupElement& a, const GroupElement& b) {
  GroupElement result;
  if (crypto_core_ristretto255_sub(bytes_of(result.data()), bytes_of(a.data()), bytes_of(b.data())) != 0) {
    return std::nullopt;
  }
  return result;
}

GroupElement random_element() {
  begin_sodium();
  GroupElement element;
  crypto_core_ristretto255_random(bytes_of(element.data()));
  return element;
}

GroupElement hash_to_group(std::string_view text, std::string_view domain) {
  require_argument(!domain.empty() && domain.size() <= 255, "a domain of 1 to 255 bytes");
  const auto domain_size = static_cast<std::uint8_t>(domain.size());
  constexpr std::array<unsigned char, 128> block{};
  Sha512 first;
  first.add(block);
  first.add(text);
  first.add(std::uint8_t{0});
  first.add(std::uint8_t{64});
  first.add(std::uint8_t{0});
  first.add(domain);
  first.add(domain_size);
  const auto b0 = first.finish();
  Sha512 second;
  second.add(b0);
  second.add(std::uint8_t{1});
  second.add(domain);
  second.add(domain_size);
  const auto uniform = second.finish();
  GroupElement element;
  crypto_core_ristretto255_from_hash(bytes_of(element.data()), uniform.data());
  return element;
}

}  // namespace sotto
