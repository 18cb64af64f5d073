#include "net/star/trust.h"

#include <fmt/format.h>

#include <utility>

#include "sotto/protocol/error/errors.h"

namespace sotto::net {
namespace {

void require_fingerprints(const ServiceTrust& trust) {
  for (const std::string& fingerprint : trust.trusted) {
    if (is_fingerprint(fingerprint)) continue;
    throw InputError("--trust", fmt::format("'{}' is no fingerprint of a certificate: expected sha256: and 64 hex "
                                            "digits, as `sotto keys show` prints it",
                                            fingerprint));
  }
}

void require_service(const ServiceTrust& trust) {
  if (!trust.identity) {
    throw InputError("--key",
                     "a service needs the key that its clients know it by: `sotto keys new` makes one (or "
                     "--insecure-plaintext for links without TLS)");
  }
  if (trust.anyone && !trust.trusted.empty()) {
    throw InputError("--trust", "'anyone' and fingerprints exclude each other: give one of both");
  }
  if (!trust.anyone && trust.trusted.empty()) {
    throw InputError("--trust",
                     "nobody is trusted: give the fingerprint of each client, which its `sotto keys show` prints, or "
                     "'anyone' to let in whoever shows a key");
  }
}

void require_client(const ServiceTrust& trust) {
  if (trust.anyone || trust.trusted.size() != 1) {
    throw InputError("--trust",
                     "a client trusts exactly one service: give its fingerprint, which `sotto keys show` prints there "
                     "(or --insecure-plaintext for links without TLS)");
  }
}

}  // namespace

ServiceGuard::ServiceGuard(ServiceTrust trust, bool accepts) : trust_(std::move(trust)), accepts_(accepts) {
  if (trust_.plaintext) return;
  require_fingerprints(trust_);
  accepts_ ? require_service(trust_) : require_client(trust_);
  if (!trust_.identity) trust_.identity = std::make_shared<const Identity>(Identity::create("client"));
  // Even a client that is not trusted must receive the reason.
  context_.emplace(*trust_.identity, std::vector<std::string>{std::string(TlsContext::anyone)});
  context_->release_idle_buffers();
}

ServiceGuard ServiceGuard::of_service(ServiceTrust trust) { return {std::move(trust), true}; }
ServiceGuard ServiceGuard::of_client(ServiceTrust trust) { return {std::move(trust), false}; }

std::unique_ptr<ByteStream> ServiceGuard::wrap(std::unique_ptr<ByteStream> stream) const {
  if (!context_) return stream;
  if (accepts_) return context_->accept(std::move(stream));
  return context_->connect(std::move(stream), *trust_.trusted.begin());
}

std::optional<std::string> ServiceGuard::objection(const std::string& fingerprint) const {
  if (trust_.plaintext) return std::nullopt;
  if (fingerprint.empty()) return "it shows no certificate";
  if (trust_.anyone || trust_.trusted.contains(fingerprint)) return std::nullopt;
  return fmt::format("its certificate {} is not trusted here: give it with --trust to let it in", fingerprint);
}

}  // namespace sotto::net
