#include "sotto/protocol/wire/running_hash.h"

#include <openssl/evp.h>

#include <algorithm>

#include "sotto/protocol/error/errors.h"

namespace sotto {
namespace {

constexpr std::size_t blake2b_bytes = 64;

// Looked up once; null where OpenSSL has none, and its uses then fail.
const EVP_MD* blake2b() {
  static const EVP_MD* const found = EVP_MD_fetch(nullptr, "BLAKE2B-512", nullptr);
  return found;
}

void require_hash(bool done) {
  if (!done) throw ResourceError("OpenSSL cannot run BLAKE2b; check that its default provider is installed");
}

}  // namespace

void RunningHash::Free::operator()(evp_md_ctx_st* context) const noexcept { EVP_MD_CTX_free(context); }

RunningHash::RunningHash() : context_(EVP_MD_CTX_new()) {
  require_hash(context_ != nullptr && blake2b() != nullptr &&
               EVP_DigestInit_ex2(context_.get(), blake2b(), nullptr) == 1);
}

void RunningHash::add(std::span<const std::byte> bytes) {
  require_hash(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1);
}

std::array<std::byte, 32> RunningHash::finish() {
  std::array<unsigned char, blake2b_bytes> whole{};
  require_hash(EVP_DigestFinal_ex(context_.get(), whole.data(), nullptr) == 1);
  std::array<std::byte, 32> digest;
  std::transform(whole.begin(), whole.begin() + digest.size(), digest.begin(),
                 [](unsigned char c) { return std::byte{c}; });
  return digest;
}

}  // namespace sotto
