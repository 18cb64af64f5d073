// TLS 1.3 for the links of one role, with certificates at both ends.
//
//     config.wrap = encrypt_links(identity, certificates);
//
// There are no authorities, no names and no tickets. The run's config lists the fingerprint of each role's certificate,
// and a peer proves that it holds the private key of its certificate. The end that connects accepts only the peer that
// it called. The end that accepts admits any role of the run and learns the role by its fingerprint
// (ByteStream::peer_fingerprint).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/protocol/transport/stream.h"
#include "sotto/protocol/transport/tls/identity.h"

namespace sotto::net {

class TlsContext {
 public:
  // AES-GCM loses its safety margin after 2^24.5 full records under one key (RFC 8446, 5.5).
  static constexpr std::uint64_t default_records_per_key = std::uint64_t{1} << 22;

  // Accepts any peer that proves the key of a valid certificate.
  static constexpr std::string_view anyone = "anyone";

  // `trusted` are fingerprints, or `anyone`. Each direction of a stream changes its key after `records_per_key`
  // records. Throws InputError if this role's own certificate is not valid today, and ResourceError if OpenSSL has no
  // TLS 1.3.
  TlsContext(const Identity& self, std::vector<std::string> trusted,
             std::uint64_t records_per_key = default_records_per_key);
  TlsContext(TlsContext&&) noexcept;
  TlsContext& operator=(TlsContext&&) noexcept;
  ~TlsContext();

  // Makes streams release their record buffers (50 KB) while no bytes come or go. Must be called before the first
  // stream is made.
  void release_idle_buffers();
  // Makes the end that accepts ask for no certificate, for clients that prove their identity by other means. Must be
  // called before the first stream is made.
  void ask_for_no_certificate();
  // Lets streams connect to services that are not roles, which may have ECDSA or RSA keys and longer certificate
  // chains. Errors show `advice` if a service shows another certificate. Must be called before the first stream is
  // made.
  void call_other_services(const std::string& advice);

  // Nothing is sent before the first call of read_some or write_some. The streams may outlive the context.
  [[nodiscard]] std::unique_ptr<ByteStream> connect(std::unique_ptr<ByteStream> inner,
                                                    const std::string& fingerprint) const;
  // The peer's certificate must have one of `fingerprints`.
  [[nodiscard]] std::unique_ptr<ByteStream> connect(std::unique_ptr<ByteStream> inner,
                                                    std::vector<std::string> fingerprints) const;
  [[nodiscard]] std::unique_ptr<ByteStream> accept(std::unique_ptr<ByteStream> inner) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace sotto::net
