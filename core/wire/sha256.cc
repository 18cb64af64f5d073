#include "sotto/core/wire/sha256.h"

#include <openssl/evp.h>

#include "sotto/core/error/errors.h"

namespace sotto {

std::array<std::byte, 32> sha256(std::string_view text) {
  std::array<std::byte, 32> digest;
  unsigned length = 0;
  if (EVP_Digest(text.data(), text.size(), reinterpret_cast<unsigned char*>(digest.data()), &length, EVP_sha256(),
                 nullptr) != 1) {
    throw ResourceError("OpenSSL cannot run SHA-256; check that its default provider is installed");
  }
  return digest;
}

}  // namespace sotto
