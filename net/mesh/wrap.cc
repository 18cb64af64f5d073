#include "sotto/protocol/mesh/mesh.h"

#include <fmt/format.h>
#include <sys/prctl.h>

#include <random>
#include <utility>
#include <vector>

#include "net/transport/emulate/emulated_link.h"
#include "net/transport/tls/context.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::net {
namespace {

void check_fingerprint(const std::string& fingerprint) {
  if (is_fingerprint(fingerprint)) return;
  throw InputError(fmt::format(
      "'{}' is no fingerprint of a certificate: expected sha256: and 64 hex digits, as `sotto keys show` prints it",
      fingerprint));
}

}  // namespace

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
                               MeshConfig::Wrap under, const std::map<NodeId, std::string>& next) {
  std::map<NodeId, std::vector<std::string>> trusted;
  std::map<std::string, NodeId> owners;
  for (const auto* const given : {&certificates, &next}) {
    for (const auto& [role, fingerprint] : *given) {
      check_fingerprint(fingerprint);
      const auto [owner, is_new] = owners.emplace(fingerprint, role);
      if (owner->second != role) {
        throw InputError(fmt::format(
            "two roles are trusted under the one certificate {}: give each role a key of its own with `sotto keys new`",
            fingerprint));
      }
      if (is_new) trusted[role].push_back(fingerprint);
    }
  }
  const auto own = owners.find(self.fingerprint());
  std::vector<std::string> others;
  for (const auto& [fingerprint, role] : owners) {
    if (own == owners.end() || role != own->second) others.push_back(fingerprint);
  }
  return [context = std::make_shared<TlsContext>(self, std::move(others)), trusted = std::move(trusted),
          under = std::move(under)](std::unique_ptr<ByteStream> stream, bool accepted,
                                    std::optional<NodeId> peer) -> std::unique_ptr<ByteStream> {
    if (under) stream = under(std::move(stream), accepted, peer);
    if (accepted) return context->accept(std::move(stream));
    const auto found = peer ? trusted.find(*peer) : trusted.end();
    if (found == trusted.end()) {
      throw InputError(
          "no certificate is trusted for a role that this one connects to: enter its fingerprint with `sotto keys "
          "trust`");
    }
    return context->connect(std::move(stream), found->second);
  };
}

}  // namespace sotto::net
