#include "sotto/core/random/key_stream.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include "sotto/core/error/errors.h"

namespace sotto {
namespace {

// What OpenSSL adds the key stream to, a piece at a time.
alignas(64) constexpr std::array<unsigned char, 4096> zeros{};

// Looking the algorithm up costs more than keying it, so it is done once and kept.
const EVP_CIPHER* aes() {
  static const EVP_CIPHER* const found = EVP_CIPHER_fetch(nullptr, "AES-128-CTR", nullptr);
  return found;
}

}  // namespace

void KeyStream::FreeContext::operator()(evp_cipher_ctx_st* context) const noexcept { EVP_CIPHER_CTX_free(context); }

KeyStream::KeyStream(std::span<const std::byte, 16> key, const Expansion& table) : table_(table) {
  const auto* key_bytes = reinterpret_cast<const unsigned char*>(key.data());
  if (table_.schedule != nullptr) {
    table_.schedule(round_keys_.data(), key_bytes);
    return;
  }
  openssl_.reset(EVP_CIPHER_CTX_new());
  const std::array<unsigned char, 16> counter{};
  if (openssl_ == nullptr || EVP_EncryptInit_ex2(openssl_.get(), aes(), key_bytes, counter.data(), nullptr) != 1) {
    throw ResourceError("OpenSSL cannot run AES-128-CTR; check that its default provider is installed");
  }
}

KeyStream::~KeyStream() {
  if (table_.schedule != nullptr) OPENSSL_cleanse(round_keys_.data(), round_keys_.size());
}

void KeyStream::write(std::span<unsigned char> out) {
  if (table_.write_stream != nullptr) {
    const std::size_t groups = out.size() / Expansion::group_bytes;
    table_.write_stream(out.data(), round_keys_.data(), group_, groups);
    group_ += groups;
    return;
  }
  while (!out.empty()) {
    const std::size_t piece = out.size() < zeros.size() ? out.size() : zeros.size();
    int written = 0;
    if (EVP_EncryptUpdate(openssl_.get(), out.data(), &written, zeros.data(), static_cast<int>(piece)) != 1) {
      throw ResourceError("OpenSSL failed to run AES-128-CTR");
    }
    out = out.subspan(piece);
  }
}

void KeyStream::combine(std::span<std::uint64_t> out, Combine how, std::uint64_t mask) {
  const std::size_t groups = out.size() / Expansion::group_words;
  table_.combine_stream[static_cast<std::size_t>(how)](out.data(), round_keys_.data(), group_, groups, mask);
  group_ += groups;
}

}  // namespace sotto
