#include "core/transfer/transfer_hash.h"

#include <openssl/evp.h>

#include <algorithm>

#include "sotto/protocol/error/errors.h"

namespace sotto {
namespace {

unsigned char* cipher_bytes(std::span<Bits128> blocks) { return reinterpret_cast<unsigned char*>(blocks.data()); }

}  // namespace

void TransferHash::FreeContext::operator()(evp_cipher_ctx_st* context) const noexcept { EVP_CIPHER_CTX_free(context); }

TransferHash::TransferHash(std::span<const std::byte, 16> key) : TransferHash(key, transfer_kernels()) {}

TransferHash::TransferHash(std::span<const std::byte, 16> key, const TransferKernels& table) : table_(table) {
  const auto* key_bytes = reinterpret_cast<const unsigned char*>(key.data());
#if defined(__x86_64__)
  if (table_.hash != nullptr) {
    kernel::aes_schedule(round_keys_.data(), key_bytes);
    return;
  }
#endif
  openssl_.reset(EVP_CIPHER_CTX_new());
  if (openssl_ == nullptr || EVP_EncryptInit_ex2(openssl_.get(), EVP_aes_128_ecb(), key_bytes, nullptr, nullptr) != 1) {
    throw ResourceError("OpenSSL cannot run AES-128-ECB; check that its default provider is installed");
  }
}

void TransferHash::encrypt(std::span<Bits128> blocks) const {
  int written = 0;
  unsigned char* bytes = cipher_bytes(blocks);
  if (EVP_EncryptUpdate(openssl_.get(), bytes, &written, bytes, static_cast<int>(blocks.size_bytes())) != 1) {
    throw ResourceError("OpenSSL failed to run AES-128-ECB");
  }
}

void TransferHash::run(const TweakRange& tweaks, std::span<const Bits128> rows, const Bits128& offset,
                       std::span<Bits128> out) const {
  if (table_.hash != nullptr) {
    table_.hash(cipher_bytes(out), reinterpret_cast<const unsigned char*>(rows.data()),
                reinterpret_cast<const unsigned char*>(&offset), round_keys_.data(), tweaks.first().word.data(),
                rows.size());
    return;
  }
  std::array<Bits128, 64> once;
  std::array<Bits128, 64> twice;
  Bits128 tweak = tweaks.first();
  for (std::size_t done = 0; done < rows.size(); done += once.size()) {
    const std::size_t count = std::min(once.size(), rows.size() - done);
    for (std::size_t i = 0; i < count; ++i) once[i] = rows[done + i] ^ offset;
    encrypt(std::span(once).first(count));
    for (std::size_t i = 0; i < count; ++i) {
      twice[i] = once[i] ^ tweak;
      ++tweak.word[0];
    }
    encrypt(std::span(twice).first(count));
    for (std::size_t i = 0; i < count; ++i) out[done + i] = once[i] ^ twice[i];
  }
}

void TransferHash::one(TweakRange tweaks, std::span<const Bits128> rows, std::span<Bits128> out) const {
  require_argument(tweaks.count() == rows.size() && out.size() == rows.size(), "a fresh tweak for each row");
  run(tweaks, rows, {}, out);
}

void TransferHash::both(TweakRange tweaks, std::span<const Bits128> rows, const Bits128& difference,
                        std::span<Bits128> zero, std::span<Bits128> one) const {
  require_argument(tweaks.count() == rows.size() && zero.size() == rows.size() && one.size() == rows.size(),
                   "a fresh tweak for each row");
  run(tweaks, rows, difference, one);
  run(tweaks, rows, {}, zero);
}

}  // namespace sotto
