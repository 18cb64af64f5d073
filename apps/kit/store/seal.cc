#include "apps/kit/store/seal.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/rand.h>
#include <sodium.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <stdexcept>

#include "sotto/protocol/error/errors.h"

namespace sotto::apps {
namespace {

constexpr std::size_t nonce_bytes = SealingNonces::size;
constexpr std::size_t tag_bytes = 16;
constexpr std::size_t longest_purpose = 1024;  // OpenSSL 3.0 refuses a longer purpose

template <auto free>
struct Free {
  void operator()(auto* object) const noexcept { free(object); }
};
using CipherContext = std::unique_ptr<EVP_CIPHER_CTX, Free<EVP_CIPHER_CTX_free>>;

// OpenSSL's search for a cipher by name takes longer than sealing a row, so this function searches only once.
const EVP_CIPHER* sealing_cipher() {
  static const std::unique_ptr<EVP_CIPHER, Free<EVP_CIPHER_free>> cipher(
      EVP_CIPHER_fetch(nullptr, "AES-256-GCM", nullptr));
  return cipher.get();
}

[[noreturn]] void fail(const char* what) {
  throw ResourceError(std::string("OpenSSL cannot run ") + what + "; check that its default provider is installed");
}

const unsigned char* bytes_of(std::span<const std::byte> text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}
const unsigned char* bytes_of(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }
unsigned char* room_of(std::span<std::byte> text) { return reinterpret_cast<unsigned char*>(text.data()); }

int length_of(std::size_t bytes) {
  if (bytes > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    throw std::invalid_argument("a row of a store has at most 2 GiB");
  }
  return static_cast<int>(bytes);
}

constexpr std::size_t mac_bytes = crypto_shorthash_siphashx24_BYTES;
static_assert(mac_bytes == crypto_shorthash_siphashx24_KEYBYTES);  // nonce_of() uses a MAC as a key
using Mac = std::array<std::byte, mac_bytes>;

Mac mac_of(std::span<const std::byte, mac_bytes> key, std::span<const std::byte> text) {
  Mac mac;
  crypto_shorthash_siphashx24(room_of(mac), bytes_of(text), text.size(), bytes_of(key));
  return mac;
}

// Returns F_b(fresh | F_c(text)) with c = F_a(place). F_k is SipHash with the key k (seal.h), and | joins bytes. The
// first 12 bytes of the result are the nonce. `keys` contains the key a, then the key b.
Mac nonce_of(std::span<const std::byte, 2 * mac_bytes> keys, std::span<const std::byte, nonce_bytes> fresh,
             std::string_view place, std::span<const std::byte> text) {
  const Mac of_place = mac_of(keys.first<mac_bytes>(), std::as_bytes(std::span(place)));
  const Mac of_text = mac_of(of_place, text);
  std::array<std::byte, nonce_bytes + mac_bytes> all;
  std::copy(of_text.begin(), of_text.end(), std::copy(fresh.begin(), fresh.end(), all.begin()));
  return mac_of(keys.last<mac_bytes>(), all);
}

void draw(std::span<std::byte> nonces) {
  if (RAND_bytes(room_of(nonces), length_of(nonces.size())) != 1) {
    throw ResourceError("the operating system's random generator gave no bytes");
  }
}

}  // namespace

std::span<const std::byte, SealingNonces::size> SealingNonces::next() {
  if (left_ == 0) {
    draw(drawn_);
    left_ = most;
  }
  --left_;
  return std::span(drawn_).subspan(left_ * size).first<size>();
}

void SealingNonces::top_up() {
  if (2 * left_ > most) return;
  draw(std::span(drawn_).subspan(left_ * size));
  left_ = most;
}

SealingKey::SealingKey(SealingKey&& other) noexcept : bytes_(other.bytes_) {
  OPENSSL_cleanse(other.bytes_.data(), other.bytes_.size());
}

SealingKey::~SealingKey() { OPENSSL_cleanse(bytes_.data(), bytes_.size()); }

SealingKey SealingKey::derive(std::span<const std::byte> secret, std::string_view purpose) {
  if (secret.size() < 16) throw std::invalid_argument("a private key has at least 16 bytes");
  if (purpose.size() > longest_purpose) {
    throw std::invalid_argument("the purpose of a key has at most 1024 bytes");
  }
  const std::unique_ptr<EVP_KDF, Free<EVP_KDF_free>> kdf(EVP_KDF_fetch(nullptr, "HKDF", nullptr));
  const std::unique_ptr<EVP_KDF_CTX, Free<EVP_KDF_CTX_free>> context(EVP_KDF_CTX_new(kdf.get()));
  char digest[] = "SHA256";
  char salt[] = "sotto store 1";
  // OpenSSL only reads these bytes.
  auto* key = const_cast<std::byte*>(secret.data());
  auto* info = const_cast<char*>(purpose.empty() ? "" : purpose.data());
  const OSSL_PARAM parameters[] = {OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest, 0),
                                   OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, key, secret.size()),
                                   OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, salt, sizeof salt - 1),
                                   OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, info, purpose.size()),
                                   OSSL_PARAM_construct_end()};
  SealingKey derived;
  if (context == nullptr || EVP_KDF_derive(context.get(), room_of(derived.bytes_), all_bytes, parameters) != 1) {
    fail("HKDF-SHA256");
  }
  return derived;
}

std::vector<std::byte> SealingKey::seal(std::span<const std::byte> text, std::string_view place) const {
  std::array<std::byte, nonce_bytes> fresh;
  draw(fresh);
  return seal(text, place, std::span<const std::byte, nonce_bytes>(fresh));
}

std::vector<std::byte> SealingKey::seal(std::span<const std::byte> text, std::string_view place,
                                        SealingNonces& nonces) const {
  return seal(text, place, nonces.next());
}

std::vector<std::byte> SealingKey::seal(std::span<const std::byte> text, std::string_view place,
                                        std::span<const std::byte, nonce_bytes> fresh) const {
  static_assert(all_bytes == size + 2 * mac_bytes);
  std::vector<std::byte> sealed(text.size() + overhead);
  const std::span<std::byte> out(sealed);
  const Mac nonce = nonce_of(std::span(bytes_).last<2 * mac_bytes>(), fresh, place, text);
  std::copy_n(nonce.begin(), nonce_bytes, out.begin());
  const CipherContext context(EVP_CIPHER_CTX_new());
  int written = 0;
  const bool done =
      context != nullptr &&
      EVP_EncryptInit_ex(context.get(), sealing_cipher(), nullptr, bytes_of(std::span<const std::byte>(bytes_)),
                         room_of(out.first(nonce_bytes))) == 1 &&
      EVP_EncryptUpdate(context.get(), nullptr, &written, bytes_of(place), length_of(place.size())) == 1 &&
      EVP_EncryptUpdate(context.get(), room_of(out.subspan(nonce_bytes)), &written, bytes_of(text),
                        length_of(text.size())) == 1 &&
      EVP_EncryptFinal_ex(context.get(), room_of(out.last(tag_bytes)), &written) == 1 &&
      EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_GET_TAG, tag_bytes, out.last(tag_bytes).data()) == 1;
  if (!done) fail("AES-256-GCM");
  return sealed;
}

std::optional<std::vector<std::byte>> SealingKey::open(std::span<const std::byte> sealed,
                                                       std::string_view place) const {
  if (sealed.size() < overhead) return std::nullopt;
  const auto nonce = sealed.first(nonce_bytes);
  const auto text = sealed.subspan(nonce_bytes, sealed.size() - overhead);
  std::array<std::byte, tag_bytes> tag{};
  std::copy_n(sealed.last(tag_bytes).begin(), tag_bytes, tag.begin());
  std::vector<std::byte> opened(text.size());
  const CipherContext context(EVP_CIPHER_CTX_new());
  int written = 0;
  const bool ready =
      context != nullptr &&
      EVP_DecryptInit_ex(context.get(), sealing_cipher(), nullptr, bytes_of(std::span<const std::byte>(bytes_)),
                         bytes_of(nonce)) == 1 &&
      EVP_DecryptUpdate(context.get(), nullptr, &written, bytes_of(place), length_of(place.size())) == 1 &&
      EVP_DecryptUpdate(context.get(), room_of(opened), &written, bytes_of(text), length_of(text.size())) == 1 &&
      EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_SET_TAG, tag_bytes, tag.data()) == 1;
  if (!ready) fail("AES-256-GCM");
  // No opened byte is returned before the tag is checked.
  std::array<unsigned char, tag_bytes> rest{};
  if (EVP_DecryptFinal_ex(context.get(), rest.data(), &written) != 1) {
    OPENSSL_cleanse(opened.data(), opened.size());
    return std::nullopt;
  }
  return opened;
}

}  // namespace sotto::apps
