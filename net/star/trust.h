// Whom a service lets in, and which service a client takes for the one that it was told of.
//
// Links are TLS 1.3 with certificates at both ends, as between roles (net/transport/tls/context.h). A client always
// pins the fingerprint of its service. A service pins its clients', or takes any that prove the key of some
// certificate: then the fingerprint says who came back, and nothing else.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>

#include "net/transport/tls/context.h"

namespace sotto::net {

struct ServiceTrust {
  bool plaintext = false;                    // neither encrypted nor proven
  std::shared_ptr<const Identity> identity;  // a client without one makes one for the connection
  std::set<std::string> trusted;             // of a client: its service's, and no other
  bool anyone = false;                       // of a service: any client that shows a valid key
};

// What is put around connections of one end.
class ServiceGuard {
 public:
  // Throws InputError if `trust` does not say whom to trust, or says it twice; if the certificate of this end is not
  // valid today; ResourceError if OpenSSL has no TLS 1.3.
  [[nodiscard]] static ServiceGuard of_service(ServiceTrust trust);
  [[nodiscard]] static ServiceGuard of_client(ServiceTrust trust);

  [[nodiscard]] std::unique_ptr<ByteStream> wrap(std::unique_ptr<ByteStream> stream) const;
  // Of a service, once the stream has shown who the peer is: why that peer is not let in, if it is not.
  [[nodiscard]] std::optional<std::string> objection(const std::string& fingerprint) const;

  // Whether a certificate is trusted by name, not as anyone's.
  [[nodiscard]] bool pins(const std::string& fingerprint) const { return trust_.trusted.contains(fingerprint); }

 private:
  ServiceGuard(ServiceTrust trust, bool accepts);

  ServiceTrust trust_;
  bool accepts_;
  std::optional<TlsContext> context_;  // none in plaintext
};

}  // namespace sotto::net
