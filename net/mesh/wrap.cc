#include "sotto/net/mesh/wrap.h"

#include <fmt/format.h>
#include <sys/prctl.h>

#include <random>
#include <set>

#include "sotto/core/error/errors.h"
#include "sotto/net/transport/emulate/emulated_link.h"
#include "sotto/net/transport/tls/context.h"

namespace sotto::net {

MeshConfig::Wrap emulate_links(const LinkConditions& conditions, std::uint64_t seed) {
  return [conditions, seed, links = std::uint64_t{0}](std::unique_ptr<ByteStream> stream, bool accepted,
                                                      std::optional<NodeId>) mutable {
    constexpr unsigned long least_slack = 1;  // nanoseconds
    prctl(PR_SET_TIMERSLACK, least_slack);
    std::seed_seq mixed{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                        static_cast<std::uint32_t>(links++)};
    std::uint32_t halves[2];
    mixed.generate(halves, halves + 2);
    return std::make_unique<EmulatedLink>(std::move(stream), conditions, accepted,
                                          std::uint64_t{halves[0]} << 32 | halves[1]);
  };
}

MeshConfig::Wrap encrypt_links(const Identity& self, const std::map<NodeId, std::string>& certificates,
                               MeshConfig::Wrap under) {
  std::set<std::string> seen;
  std::vector<std::string> others;
  for (const auto& [role, fingerprint] : certificates) {
    if (!is_fingerprint(fingerprint)) {
      throw InputError(fmt::format(
          "'{}' is no fingerprint of a certificate: expected sha256: and 64 hex digits, as `sotto keys show` prints it",
          fingerprint));
    }
    if (!seen.insert(fingerprint).second) {
      throw InputError(fmt::format(
          "two roles are trusted under the one certificate {}: give each role a key of its own with `sotto keys new`",
          fingerprint));
    }
    if (fingerprint != self.fingerprint()) others.push_back(fingerprint);
  }
  return [context = std::make_shared<TlsContext>(self, std::move(others)), certificates, under = std::move(under)](
             std::unique_ptr<ByteStream> stream, bool accepted,
             std::optional<NodeId> peer) -> std::unique_ptr<ByteStream> {
    if (under) stream = under(std::move(stream), accepted, peer);
    if (accepted) return context->accept(std::move(stream));
    const auto found = peer ? certificates.find(*peer) : certificates.end();
    if (found == certificates.end()) {
      throw InputError(
          "no certificate is trusted for a role that this one connects to: enter its fingerprint with `sotto keys "
          "trust`");
    }
    return context->connect(std::move(stream), found->second);
  };
}

}  // namespace sotto::net
