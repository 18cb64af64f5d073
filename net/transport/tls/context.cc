#include "net/transport/tls/context.h"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <algorithm>

#include "net/transport/tls/tls_stream.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::net {
namespace {

using Context = std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)>;

constexpr const char* ciphers = "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256";
constexpr long longest_certificate = 8 * 1024;  // of roles
constexpr long longest_chain = 32 * 1024;       // of other services
constexpr const char* any_signature =
    "ed25519:ecdsa_secp256r1_sha256:ecdsa_secp384r1_sha384:rsa_pss_rsae_sha256:rsa_pss_rsae_sha384:rsa_pss_rsae_sha512";
// The buffer has room for two records, so the frames of a step come in with one call.
constexpr std::size_t read_buffer = 2 * (TlsStream::record_bytes + 256);

void require_context(bool done) {
  if (done) return;
  ERR_clear_error();
  throw ResourceError(
      "OpenSSL cannot set up TLS 1.3 with Ed25519 certificates; check its configuration and that its default provider "
      "is installed");
}

Context new_context(const Identity& self) {
  Context context(SSL_CTX_new(TLS_method()), SSL_CTX_free);
  require_context(context != nullptr);
  SSL_CTX* const c = context.get();
  require_context(SSL_CTX_set_min_proto_version(c, TLS1_3_VERSION) == 1 &&
                  SSL_CTX_set_max_proto_version(c, TLS1_3_VERSION) == 1 && SSL_CTX_set_ciphersuites(c, ciphers) == 1 &&
                  SSL_CTX_set1_groups_list(c, "X25519:P-256") == 1 && SSL_CTX_set1_sigalgs_list(c, "ed25519") == 1);
  require_context(SSL_CTX_use_certificate(c, self.openssl_certificate()) == 1 &&
                  SSL_CTX_use_PrivateKey(c, self.openssl_key()) == 1);
  // No session outlives its connection, so there are no tickets.
  SSL_CTX_set_options(
      c, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE);
  // This option wipes seeds and shares from record buffers.
  SSL_CTX_set_options(c, SSL_OP_CLEANSE_PLAINTEXT);
  SSL_CTX_clear_options(c, SSL_OP_ENABLE_MIDDLEBOX_COMPAT);  // no dummy records
  SSL_CTX_set_session_cache_mode(c, SSL_SESS_CACHE_OFF);
  require_context(SSL_CTX_set_num_tickets(c, 0) == 1 && SSL_CTX_set_max_early_data(c, 0) == 1 &&
                  SSL_CTX_set_recv_max_early_data(c, 0) == 1);
  SSL_CTX_set_verify(c, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  SSL_CTX_set_cert_verify_callback(c, TlsStream::check_certificate, nullptr);
  SSL_CTX_set_max_cert_list(c, longest_certificate);
  SSL_CTX_clear_mode(c, SSL_MODE_AUTO_RETRY);
  SSL_CTX_set_read_ahead(c, 1);
  SSL_CTX_set_default_read_buffer_len(c, read_buffer);
  return context;
}

}  // namespace

struct TlsContext::Parts {
  Context context;
  std::shared_ptr<const TlsSettings> settings;
  std::vector<std::string> trusted;
};

TlsContext::TlsContext(const Identity& self, std::vector<std::string> trusted, std::uint64_t records_per_key) {
  if (const auto why = invalid_at(self.certificate(), std::chrono::system_clock::now())) {
    throw InputError(
        fmt::format("the certificate {} of this role {}: set the clock if it is wrong, else make a new key with `sotto "
                    "keys new` and have all other roles trust it",
                    self.fingerprint(), *why));
  }
  TlsSettings settings{self.fingerprint(), records_per_key};
  settings.takes_anyone = std::find(trusted.begin(), trusted.end(), anyone) != trusted.end();
  parts_ = std::make_unique<Parts>(
      Parts{new_context(self), std::make_shared<const TlsSettings>(std::move(settings)), std::move(trusted)});
}

TlsContext::TlsContext(TlsContext&&) noexcept = default;
TlsContext& TlsContext::operator=(TlsContext&&) noexcept = default;
TlsContext::~TlsContext() = default;

void TlsContext::release_idle_buffers() {
  SSL_CTX_set_mode(parts_->context.get(), SSL_MODE_RELEASE_BUFFERS);
  TlsSettings settings = *parts_->settings;
  settings.release_buffers = true;
  parts_->settings = std::make_shared<const TlsSettings>(std::move(settings));
}

void TlsContext::ask_for_no_certificate() {
  TlsSettings settings = *parts_->settings;
  settings.asks_clients = false;
  parts_->settings = std::make_shared<const TlsSettings>(std::move(settings));
}

void TlsContext::call_other_services(const std::string& advice) {
  require_context(SSL_CTX_set1_sigalgs_list(parts_->context.get(), any_signature) == 1);
  SSL_CTX_set_max_cert_list(parts_->context.get(), longest_chain);
  TlsSettings settings = *parts_->settings;
  settings.advice = advice;
  parts_->settings = std::make_shared<const TlsSettings>(std::move(settings));
}

std::unique_ptr<ByteStream> TlsContext::connect(std::unique_ptr<ByteStream> inner,
                                                const std::string& fingerprint) const {
  return connect(std::move(inner), std::vector<std::string>{fingerprint});
}

std::unique_ptr<ByteStream> TlsContext::connect(std::unique_ptr<ByteStream> inner,
                                                std::vector<std::string> fingerprints) const {
  return std::make_unique<TlsStream>(std::move(inner), parts_->context.get(), parts_->settings, false,
                                     std::move(fingerprints));
}

std::unique_ptr<ByteStream> TlsContext::accept(std::unique_ptr<ByteStream> inner) const {
  return std::make_unique<TlsStream>(std::move(inner), parts_->context.get(), parts_->settings, true, parts_->trusted);
}

}  // namespace sotto::net
