#include "sotto/protocol/transport/tls/identity.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <memory>
#include <span>
#include <stdexcept>

#include "core/text/terminal_safe.h"
#include "net/transport/tls/key_file.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/wire/hash.h"

namespace sotto::net {
namespace {

using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using X509Pointer = std::unique_ptr<X509, decltype(&X509_free)>;
using Memory = std::unique_ptr<BIO, decltype(&BIO_free)>;

constexpr std::size_t raw_key_bytes = 32;
constexpr std::size_t longest_name = 64;  // RFC 5280
constexpr std::size_t longest_label = 1024;
constexpr std::size_t longest_derived = 255 * 32;
constexpr unsigned key_file_mode = 0600;
constexpr unsigned certificate_file_mode = 0644;

void require_key(bool done) {
  if (done) return;
  ERR_clear_error();
  throw ResourceError("OpenSSL cannot make or write an Ed25519 key; check that its default provider is installed");
}

void check_name(const std::string& name) {
  const bool printable = std::all_of(name.begin(), name.end(), [](char c) { return c >= ' ' && c <= '~'; });
  if (name.empty() || name.size() > longest_name || !printable) {
    throw InputError("the name of a key", "expected 1 to 64 printable ASCII characters");
  }
}

void set_time(ASN1_TIME* field, WallTime time) {
  require_key(ASN1_TIME_set(field, std::chrono::system_clock::to_time_t(time)) != nullptr);
}

void add_extension(X509* certificate, int kind, const char* value) {
  const std::unique_ptr<X509_EXTENSION, decltype(&X509_EXTENSION_free)> extension(
      X509V3_EXT_conf_nid(nullptr, nullptr, kind, value), X509_EXTENSION_free);
  require_key(extension != nullptr && X509_add_ext(certificate, extension.get(), -1) == 1);
}

X509Pointer self_signed(EVP_PKEY* key, const std::string& name, const Identity::Validity& validity) {
  X509Pointer certificate(X509_new(), X509_free);
  X509* const c = certificate.get();
  require_key(c != nullptr && X509_set_version(c, X509_VERSION_3) == 1);
  std::int64_t serial = 0;
  require_key(RAND_bytes(reinterpret_cast<unsigned char*>(&serial), sizeof serial) == 1);
  require_key(ASN1_INTEGER_set_int64(X509_get_serialNumber(c), serial & INT64_MAX) == 1);
  set_time(X509_getm_notBefore(c), validity.from);
  set_time(X509_getm_notAfter(c), validity.until);
  X509_NAME* const subject = X509_get_subject_name(c);
  require_key(X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
                                         reinterpret_cast<const unsigned char*>(name.data()),
                                         static_cast<int>(name.size()), -1, 0) == 1);
  require_key(X509_set_issuer_name(c, subject) == 1 && X509_set_pubkey(c, key) == 1);
  add_extension(c, NID_basic_constraints, "critical,CA:FALSE");
  add_extension(c, NID_key_usage, "critical,digitalSignature");
  require_key(X509_sign(c, key, nullptr) > 0);  // null, because Ed25519 includes a hash
  return certificate;
}

Memory memory_file() {
  Memory memory(BIO_new(BIO_s_mem()), BIO_free);
  require_key(memory != nullptr);
  return memory;
}

std::string_view contents(BIO* memory) {
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(memory, &bytes);
  return {bytes, static_cast<std::size_t>(size)};
}

// Without this callback OpenSSL would ask for a passphrase on the terminal.
int no_passphrase(char*, int, int, void* asked) {
  *static_cast<bool*>(asked) = true;
  return -1;
}

constexpr std::string_view prefix = "sha256:";
constexpr std::size_t hex_digits = 64;

std::string fingerprint_of(const X509* certificate) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned bytes = 0;
  if (X509_digest(certificate, EVP_sha256(), digest.data(), &bytes) != 1) {
    throw ResourceError("OpenSSL cannot hash a certificate with SHA-256");
  }
  return std::string(prefix) + hex(std::as_bytes(std::span(digest).first(bytes)));
}

WallTime time_of(const ASN1_TIME* time) {
  std::tm parts{};
  if (time == nullptr || ASN1_TIME_to_tm(time, &parts) != 1) {
    throw InputError("a certificate without dates of validity");
  }
  // The year 9999 is beyond the range of WallTime.
  constexpr auto last = std::chrono::duration_cast<std::chrono::seconds>(WallTime::max().time_since_epoch()).count();
  return std::chrono::system_clock::from_time_t(std::clamp<std::time_t>(timegm(&parts), -last, last));
}

std::string name_of(const X509* certificate) {
  std::array<char, 256> text{};
  const int length = X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, text.data(),
                                               static_cast<int>(text.size()));
  return length <= 0 ? "" : printable(std::string_view(text.data(), length));
}

int refuse_passphrase(char*, int, int, void*) { return -1; }

}  // namespace

struct Identity::Parts {
  Key key;
  X509Pointer x509;
  Certificate certificate;
};

Identity::Identity(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Identity::Identity(Identity&&) noexcept = default;
Identity& Identity::operator=(Identity&&) noexcept = default;
Identity::~Identity() = default;

Identity::Validity Identity::valid_for_days(unsigned days) {
  constexpr std::chrono::hours day(24);
  const WallTime now = std::chrono::system_clock::now();
  return {now - day, now + days * day};
}

Identity Identity::create(const std::string& name, Validity validity) {
  check_name(name);
  Key key(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"), EVP_PKEY_free);
  require_key(key != nullptr);
  X509Pointer x509 = self_signed(key.get(), name, validity);
  Certificate certificate = describe(x509.get());
  return Identity(std::make_unique<Parts>(Parts{std::move(key), std::move(x509), std::move(certificate)}));
}

Identity Identity::read(const std::filesystem::path& path) {
  const SecretText text = read_small_file(path, Readers::owner_only);
  const auto open = [&] {
    Memory memory(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), BIO_free);
    require_key(memory != nullptr);
    return memory;
  };
  bool asked = false;
  // The file may have key and certificate in any order.
  Key key(PEM_read_bio_PrivateKey(open().get(), nullptr, no_passphrase, &asked), EVP_PKEY_free);
  X509Pointer x509(PEM_read_bio_X509(open().get(), nullptr, no_passphrase, &asked), X509_free);
  ERR_clear_error();
  const auto refuse = [&](const char* why) {
    throw InputError(path.string(), fmt::format("{}; `sotto keys new` makes a key file", why));
  };
  if (asked) refuse("the key has a passphrase, which a role that runs by itself cannot be asked");
  if (key == nullptr) refuse("no private key is in this file");
  if (EVP_PKEY_is_a(key.get(), "ED25519") != 1) refuse("the private key is not an Ed25519 key");
  if (x509 == nullptr) refuse("no certificate is in this file");
  if (X509_check_private_key(x509.get(), key.get()) != 1) {
    ERR_clear_error();
    refuse("the certificate in this file is of another key");
  }
  Certificate certificate = describe(x509.get());
  return Identity(std::make_unique<Parts>(Parts{std::move(key), std::move(x509), std::move(certificate)}));
}

void Identity::write(const std::filesystem::path& path) const {
  const Memory memory = memory_file();  // wiped when freed
  require_key(PEM_write_bio_PKCS8PrivateKey(memory.get(), openssl_key(), nullptr, nullptr, 0, nullptr, nullptr) == 1 &&
              PEM_write_bio_X509(memory.get(), openssl_certificate()) == 1);
  write_new_file(path, contents(memory.get()), key_file_mode);
}

void Identity::write_certificate(const std::filesystem::path& path) const {
  const Memory memory = memory_file();
  require_key(PEM_write_bio_X509(memory.get(), openssl_certificate()) == 1);
  write_new_file(path, contents(memory.get()), certificate_file_mode);
}

const Certificate& Identity::certificate() const noexcept { return parts_->certificate; }
evp_pkey_st* Identity::openssl_key() const noexcept { return parts_->key.get(); }
x509_st* Identity::openssl_certificate() const noexcept { return parts_->x509.get(); }

void Identity::derive(std::string_view label, std::span<std::byte> into) const {
  if (label.size() > longest_label || into.empty() || into.size() > longest_derived) {
    throw std::invalid_argument("a label or a length that HKDF has no room for");
  }
  std::array<unsigned char, raw_key_bytes> raw{};
  std::size_t size = raw.size();
  require_key(EVP_PKEY_get_raw_private_key(openssl_key(), raw.data(), &size) == 1);
  const std::unique_ptr<EVP_KDF, decltype(&EVP_KDF_free)> hkdf(EVP_KDF_fetch(nullptr, "HKDF", nullptr), EVP_KDF_free);
  const std::unique_ptr<EVP_KDF_CTX, decltype(&EVP_KDF_CTX_free)> context(EVP_KDF_CTX_new(hkdf.get()),
                                                                          EVP_KDF_CTX_free);
  char digest[] = "SHA256";
  // The salt separates the derived bytes from every other use of the key.
  char salt[] = "sotto/identity/v1";
  auto* const info = const_cast<char*>(label.empty() ? "" : label.data());  // OpenSSL only reads it
  const OSSL_PARAM parameters[] = {OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest, 0),
                                   OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, raw.data(), size),
                                   OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, salt, sizeof salt - 1),
                                   OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, info, label.size()),
                                   OSSL_PARAM_construct_end()};
  const bool done = context != nullptr && EVP_KDF_derive(context.get(), reinterpret_cast<unsigned char*>(into.data()),
                                                         into.size(), parameters) == 1;
  OPENSSL_cleanse(raw.data(), raw.size());
  require_key(done);
}

Certificate describe(const x509_st* certificate) {
  return Certificate{fingerprint_of(certificate), name_of(certificate), time_of(X509_get0_notBefore(certificate)),
                     time_of(X509_get0_notAfter(certificate))};
}

Certificate read_certificate(const std::filesystem::path& path) {
  const SecretText text = read_small_file(path, Readers::anybody);
  const std::unique_ptr<BIO, decltype(&BIO_free)> memory(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())),
                                                         BIO_free);
  if (memory == nullptr) throw ResourceError("OpenSSL has no memory to read a certificate");
  const std::unique_ptr<X509, decltype(&X509_free)> certificate(
      PEM_read_bio_X509(memory.get(), nullptr, refuse_passphrase, nullptr), X509_free);
  ERR_clear_error();
  if (certificate == nullptr) {
    throw InputError(path.string(),
                     "no certificate: expected a PEM file with a CERTIFICATE block, such as `sotto keys new` writes");
  }
  return describe(certificate.get());
}

bool is_fingerprint(std::string_view text) noexcept {
  return text.starts_with(prefix) && is_hex(text.substr(prefix.size()), hex_digits);
}

std::string date_text(WallTime time) {
  return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(std::chrono::system_clock::to_time_t(time)));
}

std::optional<std::string> invalid_at(const Certificate& certificate, WallTime now) {
  if (now < certificate.valid_from) {
    return fmt::format("is valid from {} on only, and the clock here says {}", date_text(certificate.valid_from),
                       date_text(now));
  }
  if (now > certificate.valid_until) {
    return fmt::format("expired on {}, and the clock here says {}", date_text(certificate.valid_until), date_text(now));
  }
  return std::nullopt;
}

}  // namespace sotto::net
