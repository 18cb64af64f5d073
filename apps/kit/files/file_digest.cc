#include "apps/kit/files/file_digest.h"

#include <openssl/evp.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

#include "apps/kit/files/input_file.h"
#include "sotto/protocol/wire/hex.h"

namespace sotto::apps {

std::string file_digest(const std::filesystem::path& file) {
  InputFile input(file, most_text_bytes);
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> hash(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  bool good = hash != nullptr && EVP_DigestInit_ex(hash.get(), EVP_sha256(), nullptr) == 1;
  std::vector<char> piece(std::size_t{1} << 16);
  while (const std::size_t got = input.read(piece.data(), piece.size())) {
    good = good && EVP_DigestUpdate(hash.get(), piece.data(), got) == 1;
  }
  std::array<std::byte, 32> digest{};
  good = good && EVP_DigestFinal_ex(hash.get(), reinterpret_cast<unsigned char*>(digest.data()), nullptr) == 1;
  if (!good) throw std::runtime_error("OpenSSL has no SHA-256");
  return "sha256:" + hex(digest);
}

}  // namespace sotto::apps
