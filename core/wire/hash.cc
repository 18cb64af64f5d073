#include "sotto/protocol/wire/hash.h"

#include <openssl/evp.h>

#include <algorithm>
#include <string_view>

#include "sotto/protocol/error/errors.h"

namespace sotto {
namespace {

constexpr std::string_view hex_digits = "0123456789abcdef";

// Null if OpenSSL has no SHA-256; every use then fails.
const EVP_MD* sha256_of_openssl() {
  static const EVP_MD* const found = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  return found;
}

constexpr std::size_t blake2b_bytes = 64;

// Null if OpenSSL has no BLAKE2b; every use then fails.
const EVP_MD* blake2b() {
  static const EVP_MD* const found = EVP_MD_fetch(nullptr, "BLAKE2B-512", nullptr);
  return found;
}

void require_hash(bool done) {
  if (!done) throw ResourceError("OpenSSL cannot run BLAKE2b; check that its default provider is installed");
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

std::string hex(std::span<const std::byte> bytes) {
  std::string text;
  text.reserve(2 * bytes.size());
  for (const std::byte b : bytes) {
    const auto value = std::to_integer<unsigned>(b);
    text += hex_digits[value / 16];
    text += hex_digits[value % 16];
  }
  return text;
}

bool is_hex(std::string_view text, std::size_t digits) noexcept {
  return text.size() == digits && text.find_first_not_of(hex_digits) == std::string_view::npos;
}

}  // namespace sotto
