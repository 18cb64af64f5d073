// Which clients a service lets in, and whether a client has reached its configured service.
//
// Links are TLS 1.3 with certificates at both ends, as between roles (net/transport/tls/context.h). A client always
// pins the fingerprint of its service. A service pins the fingerprints of its clients, or accepts every client that
// proves the key of some certificate. If every client is accepted, the fingerprint only shows that the same client came
// back.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>

#include "net/transport/tls/context.h"

namespace sotto::net {

struct ServiceTrust {
  bool plaintext = false;                    // the links are neither encrypted nor authenticated
  std::shared_ptr<const Identity> identity;  // a client without an identity makes one for the connection
  std::set<std::string> trusted;             // at a client: only its service's fingerprint
  bool anyone = false;                       // at a service: any client that shows a valid key
};

// The protection around the connections of one end.
class ServiceGuard {
 public:
  // Throws InputError if `trust` does not say whom to trust, or says it twice, or if the certificate of this end is not
  // valid today. Throws ResourceError if OpenSSL has no TLS 1.3.
  [[nodiscard]] static ServiceGuard of_service(ServiceTrust trust);
  [[nodiscard]] static ServiceGuard of_client(ServiceTrust trust);

  [[nodiscard]] std::unique_ptr<ByteStream> wrap(std::unique_ptr<ByteStream> stream) const;
  // Called at a service once the peer's fingerprint is known. Returns the reason why the peer is not let in; nothing if
  // the peer is let in.
  [[nodiscard]] std::optional<std::string> objection(const std::string& fingerprint) const;

  // Whether a certificate is trusted by name, and not only because any client is accepted.
  [[nodiscard]] bool pins(const std::string& fingerprint) const { return trust_.trusted.contains(fingerprint); }

 private:
  ServiceGuard(ServiceTrust trust, bool accepts);

  ServiceTrust trust_;
  bool accepts_;
  std::optional<TlsContext> context_;  // none in plaintext
};

}  // namespace sotto::net
