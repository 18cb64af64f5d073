// Decides which clients a service accepts, and which service a client accepts. Links are TLS 1.3 with certificates at
// both ends. A client always pins the fingerprint of its service. A service pins the fingerprints of its clients, or
// accepts every client that proves the key of some certificate. In the second case, the fingerprint only shows that the
// same client came back.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>

#include "net/transport/tls/context.h"

namespace sotto::net {

struct ServiceTrust {
  bool plaintext = false;                    // no TLS
  std::shared_ptr<const Identity> identity;  // optional for clients
  std::set<std::string> trusted;             // trusted fingerprints
  bool anyone = false;                       // accepts every client that proves its key
};

class ServiceGuard {
 public:
  // Throws InputError if `trust` is invalid, or if this end's certificate is not valid today. Throws ResourceError if
  // OpenSSL has no TLS 1.3.
  [[nodiscard]] static ServiceGuard of_service(ServiceTrust trust);
  [[nodiscard]] static ServiceGuard of_client(ServiceTrust trust);

  [[nodiscard]] std::unique_ptr<ByteStream> wrap(std::unique_ptr<ByteStream> stream) const;
  // Returns why the service refuses the peer, or nothing.
  [[nodiscard]] std::optional<std::string> objection(const std::string& fingerprint) const;

  [[nodiscard]] bool pins(const std::string& fingerprint) const { return trust_.trusted.contains(fingerprint); }

 private:
  ServiceGuard(ServiceTrust trust, bool accepts);

  ServiceTrust trust_;
  bool accepts_;
  std::optional<TlsContext> context_;  // none in plaintext
};

}  // namespace sotto::net
