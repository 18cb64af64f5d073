#include "sotto/protocol/wire/sha256.h"

#include <openssl/evp.h>

#include "sotto/protocol/error/errors.h"

namespace sotto {
namespace {

// Looked up once, as a search by name takes longer than the digest of a few words. Null where OpenSSL has none; its
// uses then fail.
const EVP_MD* sha256_of_openssl() {
  static const EVP_MD* const found = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  return found;
}

}  // namespace

std::array<std::byte, 32> sha256(std::string_view text) {
  std::array<std::byte, 32> digest;
  unsigned length = 0;
  const EVP_MD* const algorithm = sha256_of_openssl();
  if (algorithm == nullptr || EVP_Digest(text.data(), text.size(), reinterpret_cast<unsigned char*>(digest.data()),
                                         &length, algorithm, nullptr) != 1) {
    throw ResourceError("OpenSSL cannot run SHA-256; check that its default provider is installed");
  }
  return digest;
}

}  // namespace sotto
