#include "sotto/protocol/random/seed.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string_view>

#include "core/random/secret_vector.h"
#include "sotto/protocol/error/errors.h"

namespace sotto {
namespace {

// The longest label that HKDF in OpenSSL 3.0 accepts.
constexpr std::size_t max_label_bytes = 1024;

struct FreeContext {
  void operator()(EVP_MAC_CTX* context) const noexcept { EVP_MAC_CTX_free(context); }
};
using MacContext = std::unique_ptr<EVP_MAC_CTX, FreeContext>;

MacContext hmac() {
  static const MacContext looked_up = [] {
    EVP_MAC* const algorithm = EVP_MAC_fetch(nullptr, "HMAC", nullptr);
    MacContext made(algorithm == nullptr ? nullptr : EVP_MAC_CTX_new(algorithm));
    EVP_MAC_free(algorithm);
    char digest[] = "SHA256";
    const OSSL_PARAM parameters[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
                                     OSSL_PARAM_construct_end()};
    const unsigned char no_key[1] = {};
    if (made != nullptr && EVP_MAC_init(made.get(), no_key, sizeof no_key, parameters) != 1) made.reset();
    return made;
  }();
  return MacContext(looked_up == nullptr ? nullptr : EVP_MAC_CTX_dup(looked_up.get()));
}

}  // namespace

Seed Seed::from_os() {
  Seed seed;
  if (RAND_bytes(reinterpret_cast<unsigned char*>(seed.bytes_.data()), static_cast<int>(size)) != 1) {
    throw ResourceError("the operating system's random generator gave no bytes; check getrandom and /dev/urandom");
  }
  return seed;
}

Seed Seed::from_bytes(std::span<const std::byte, size> bytes) {
  Seed seed;
  std::copy(bytes.begin(), bytes.end(), seed.bytes_.begin());
  return seed;
}

Seed Seed::insecure_from_number(std::uint64_t number) {
  Seed seed;
  for (std::size_t i = 0; i < sizeof(number); ++i) {
    seed.bytes_[i] = static_cast<std::byte>(number >> (8 * i));
  }
  return seed;
}

Seed::Seed(Seed&& other) noexcept : bytes_(other.bytes_), held_(other.held_) { other.wipe(); }

Seed& Seed::operator=(Seed&& other) noexcept {
  if (this != &other) {
    bytes_ = other.bytes_;
    held_ = other.held_;
    other.wipe();
  }
  return *this;
}

Seed::~Seed() { wipe(); }

void Seed::wipe() noexcept {
  OPENSSL_cleanse(bytes_.data(), bytes_.size());
  held_ = false;
}

std::span<const std::byte, Seed::size> Seed::expose() const {
  if (!held_) throw std::invalid_argument("this seed was moved away and holds nothing");
  return bytes_;
}

Seed Seed::derive(std::string_view label) const {
  if (label.size() > max_label_bytes) {
    throw std::invalid_argument("the label of a derived seed has more than 1024 bytes");
  }
  const auto bytes_of = [](auto bytes) { return reinterpret_cast<const unsigned char*>(bytes.data()); };
  const auto key = expose();
  constexpr unsigned char number_of_block = 1;
  const MacContext context = hmac();
  std::array<unsigned char, 32> block;
  std::size_t written = 0;
  if (context == nullptr || EVP_MAC_init(context.get(), bytes_of(key), key.size(), nullptr) != 1 ||
      EVP_MAC_update(context.get(), bytes_of(label), label.size()) != 1 ||
      EVP_MAC_update(context.get(), &number_of_block, 1) != 1 ||
      EVP_MAC_final(context.get(), block.data(), &written, block.size()) != 1) {
    throw ResourceError("OpenSSL cannot run HMAC-SHA256; check that its default provider is installed");
  }
  Seed derived;
  std::memcpy(derived.bytes_.data(), block.data(), size);
  OPENSSL_cleanse(block.data(), block.size());
  return derived;
}

void wipe_memory(void* begin, std::size_t bytes) noexcept { OPENSSL_cleanse(begin, bytes); }

}  // namespace sotto
