#include "sotto/protocol/transport/tls/certificate.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <memory>
#include <span>

#include "core/text/terminal_safe.h"
#include "net/transport/tls/key_file.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/wire/hex.h"

namespace sotto::net {
namespace {

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
  // A certificate may be valid up to the year 9999, which a WallTime does not reach.
  constexpr auto last = std::chrono::duration_cast<std::chrono::seconds>(WallTime::max().time_since_epoch()).count();
  return std::chrono::system_clock::from_time_t(std::clamp<std::time_t>(timegm(&parts), -last, last));
}

std::string name_of(const X509* certificate) {
  std::array<char, 256> text{};
  const int length = X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, text.data(),
                                               static_cast<int>(text.size()));
  return length <= 0 ? "" : printable(std::string_view(text.data(), length));
}

// OpenSSL would ask for one on the terminal.
int refuse_passphrase(char*, int, int, void*) { return -1; }

}  // namespace

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
  return text.size() == prefix.size() + hex_digits && text.substr(0, prefix.size()) == prefix &&
         std::all_of(text.begin() + prefix.size(), text.end(),
                     [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
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
