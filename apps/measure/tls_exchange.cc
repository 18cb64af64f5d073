#include "apps/measure/tls_exchange.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <chrono>
#include <memory>
#include <stdexcept>

#include "apps/measure/loopback.h"
#include "apps/measure/processes.h"
#include "core/error/errors.h"

namespace sotto::apps {
namespace {

using Clock = std::chrono::steady_clock;
using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;
using Context = std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)>;
using Session = std::unique_ptr<SSL, decltype(&SSL_free)>;

constexpr long certificate_seconds = 24 * 3600;
constexpr const char* common_name = "sotto bench";

void require(bool done) {
  if (!done) throw ResourceError("OpenSSL cannot set up TLS 1.3 with AES-128-GCM");
}

Certificate self_signed(EVP_PKEY* key) {
  Certificate certificate(X509_new(), X509_free);
  X509* const c = certificate.get();
  require(c != nullptr && X509_set_version(c, X509_VERSION_3) == 1);
  ASN1_INTEGER_set(X509_get_serialNumber(c), 1);
  X509_gmtime_adj(X509_getm_notBefore(c), 0);
  X509_gmtime_adj(X509_getm_notAfter(c), certificate_seconds);
  X509_NAME* const name = X509_get_subject_name(c);
  require(X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                                     reinterpret_cast<const unsigned char*>(common_name), -1, -1,
                                     0) == 1);
  require(X509_set_issuer_name(c, name) == 1 && X509_set_pubkey(c, key) == 1 &&
          X509_sign(c, key, EVP_sha256()) > 0);
  return certificate;
}

Context new_context(const SSL_METHOD* method) {
  Context context(SSL_CTX_new(method), SSL_CTX_free);
  require(context != nullptr);
  SSL_CTX* const c = context.get();
  require(SSL_CTX_set_min_proto_version(c, TLS1_3_VERSION) == 1 &&
          SSL_CTX_set_ciphersuites(c, "TLS_AES_128_GCM_SHA256") == 1);
  // A write that did not go through is tried again from wherever the bytes then are.
  SSL_CTX_set_mode(c, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  return context;
}

// Made before the processes are forked, so that the connecting one knows the certificate.
struct Contexts {
  Context server = new_context(TLS_server_method());
  Context client = new_context(TLS_client_method());

  Contexts() {
    const Key key(EVP_EC_gen("P-256"), EVP_PKEY_free);
    require(key != nullptr);
    const Certificate certificate = self_signed(key.get());
    require(SSL_CTX_use_certificate(server.get(), certificate.get()) == 1 &&
            SSL_CTX_use_PrivateKey(server.get(), key.get()) == 1 &&
            SSL_CTX_set_num_tickets(server.get(), 0) == 1);
    SSL_CTX_set_verify(client.get(), SSL_VERIFY_PEER, nullptr);
    require(X509_STORE_add_cert(SSL_CTX_get_cert_store(client.get()), certificate.get()) == 1);
  }
};

// Shakes hands while the socket blocks; from then on nothing does.
Session connect(SSL_CTX* context, int socket, bool server) {
  Session session(SSL_new(context), SSL_free);
  require(session != nullptr && SSL_set_fd(session.get(), socket) == 1);
  require((server ? SSL_accept(session.get()) : SSL_connect(session.get())) == 1);
  const int flags = ::fcntl(socket, F_GETFL);
  require(flags >= 0 && ::fcntl(socket, F_SETFL, flags | O_NONBLOCK) == 0);
  return session;
}

std::size_t moved(SSL* session, int result) {
  if (result > 0) return static_cast<std::size_t>(result);
  const int error = SSL_get_error(session, result);
  if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) return 0;
  throw std::runtime_error("the peer has gone");
}

void exchange(SSL* session, std::vector<char>& out, std::vector<char>& in) {
  std::size_t unsent = out.size();
  std::size_t unread = in.size();
  while (unsent > 0 || unread > 0) {
    if (unsent > 0) {
      unsent -= moved(session, SSL_write(session, out.data() + (out.size() - unsent),
                                         static_cast<int>(unsent)));
    }
    if (unread > 0) {
      unread -= moved(
          session, SSL_read(session, in.data() + (in.size() - unread), static_cast<int>(unread)));
    }
  }
}

std::vector<double> microseconds_an_exchange(SSL* session, std::size_t bytes,
                                             std::uint64_t exchanges, std::size_t batches) {
  std::vector<char> out(bytes);
  std::vector<char> in(bytes);
  std::vector<double> result;
  for (std::size_t batch = 0; batch <= batches; ++batch) {
    const Clock::time_point start = Clock::now();
    for (std::uint64_t i = 0; i < exchanges; ++i) exchange(session, out, in);
    const std::chrono::duration<double, std::micro> time = Clock::now() - start;
    if (batch > 0) result.push_back(time.count() / static_cast<double>(exchanges));
  }
  return result;
}

}  // namespace

std::vector<double> tls_exchanges(std::size_t bytes, std::uint64_t exchanges_of_a_batch,
                                  std::size_t batches, const std::atomic<bool>& interrupted) {
  const Contexts contexts;
  const LoopbackMesh mesh(2);
  const auto body = [&](bool server) {
    const Session session = server ? connect(contexts.server.get(), mesh.socket(0, 1), true)
                                   : connect(contexts.client.get(), mesh.socket(1, 0), false);
    return microseconds_an_exchange(session.get(), bytes, exchanges_of_a_batch, batches);
  };
  return run_processes({{"the TLS server", [&] { return body(true); }},
                        {"the TLS client", [&] { return body(false); }}},
                       interrupted)
      .front();
}

}  // namespace sotto::apps
