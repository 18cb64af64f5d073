// TLS for the links of one role: TLS 1.3 only. Both ends prove the key of a certificate, and each end knows beforehand
// which certificate that must be.
//
//     config.wrap = encrypt_links(identity, certificates);
//
// There are no authorities, no names and no tickets: a peer is whoever has the private key that belongs to a
// fingerprint of the run's config. The end that connects knows which peer it called and accepts no other. The end that
// accepts admits any role of the run and learns the role by its fingerprint (ByteStream::peer_fingerprint). The set-up
// of the mesh compares the fingerprint with the role that the peer claims to be.
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

  // Used in place of a fingerprint. Accepts any peer that proves the key of a certificate that is valid today.
  static constexpr std::string_view anyone = "anyone";

  // `trusted` are the fingerprints of the peers that may connect, or `anyone`. Each direction of a stream changes to a
  // new key after `records_per_key` records. Throws InputError if this role's own certificate is not valid today, and
  // ResourceError if OpenSSL has no TLS 1.3.
  TlsContext(const Identity& self, std::vector<std::string> trusted,
             std::uint64_t records_per_key = default_records_per_key);
  TlsContext(TlsContext&&) noexcept;
  TlsContext& operator=(TlsContext&&) noexcept;
  ~TlsContext();

  // Makes the streams release their record buffers (50 KB) while no bytes come or go. Meant for many streams of which
  // few are active at a time. Must be called before the first stream is made.
  void release_idle_buffers();
  // The end that accepts asks for no certificate, and peer_fingerprint() stays empty. Meant for clients that prove
  // their identity by other means, such as a token. Must be called before the first stream is made.
  void ask_for_no_certificate();
  // Prepares the end that connects for services that are not roles. The keys of such services may also be ECDSA or RSA,
  // and their certificate chains may be longer than those of roles. `advice` says what to do if a service shows another
  // certificate. Must be called before the first stream is made.
  void call_other_services(const std::string& advice);

  // TLS around `inner`, which both ends have just made. Nothing is sent before the first call of read_some or
  // write_some. The streams may outlive the context.
  [[nodiscard]] std::unique_ptr<ByteStream> connect(std::unique_ptr<ByteStream> inner,
                                                    const std::string& fingerprint) const;
  // Connects to a peer that may show any of the certificates in `fingerprints`.
  [[nodiscard]] std::unique_ptr<ByteStream> connect(std::unique_ptr<ByteStream> inner,
                                                    std::vector<std::string> fingerprints) const;
  [[nodiscard]] std::unique_ptr<ByteStream> accept(std::unique_ptr<ByteStream> inner) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace sotto::net
