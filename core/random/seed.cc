#include "sotto/core/random/seed.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/rand.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>

#include "sotto/core/error/errors.h"

namespace sotto {
namespace {

// OpenSSL 3.0 silently has no room for more.
constexpr std::size_t max_label_bytes = 1024;

struct FreeContext {
  void operator()(EVP_KDF_CTX* context) const noexcept { EVP_KDF_CTX_free(context); }
};

// Looking the algorithm up costs more than running it, so it is done once and kept.
EVP_KDF* hkdf() {
  static EVP_KDF* const found = EVP_KDF_fetch(nullptr, "HKDF", nullptr);
  return found;
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
  const auto key = expose();
  const std::unique_ptr<EVP_KDF_CTX, FreeContext> context(EVP_KDF_CTX_new(hkdf()));
  int mode = EVP_KDF_HKDF_MODE_EXPAND_ONLY;
  char digest[] = "SHA256";
  // The interface takes pointers to mutable bytes but only reads them.
  auto* key_bytes = const_cast<std::byte*>(key.data());
  auto* info = const_cast<char*>(label.empty() ? "" : label.data());
  const OSSL_PARAM parameters[] = {OSSL_PARAM_construct_int(OSSL_KDF_PARAM_MODE, &mode),
                                   OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest, 0),
                                   OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, key_bytes, key.size()),
                                   OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, info, label.size()),
                                   OSSL_PARAM_construct_end()};
  Seed derived;
  auto* out = reinterpret_cast<unsigned char*>(derived.bytes_.data());
  if (context == nullptr || EVP_KDF_derive(context.get(), out, size, parameters) != 1) {
    throw ResourceError("OpenSSL cannot run HKDF-SHA256; check that its default provider is installed");
  }
  return derived;
}

}  // namespace sotto
