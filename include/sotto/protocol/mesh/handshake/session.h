// The session of a run: the number that tells it from every other run.
//
// The config's session id says which run is meant; it may be used again, by mistake or to resume. The session of the
// links is made afresh each time: SHA-256 over the config's and 16 fresh bytes of the dealer and of each party, cut to
// 16 bytes. It does not come again as long as one of them takes its bytes from a working generator.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "sotto/protocol/party/topology.h"
#include "sotto/protocol/wire/sha256.h"

namespace sotto::net {

using SessionId = std::array<std::byte, 16>;
using Nonce = std::array<std::byte, 16>;
using Digest = std::array<std::byte, 32>;

using sotto::sha256;

// Throws ResourceError if the system gives no random bytes.
[[nodiscard]] Nonce fresh_nonce();
// For runs that must repeat exactly, and that anybody can then repeat.
[[nodiscard]] Nonce insecure_nonce(std::uint64_t number, NodeId role);

// True of the dealer or the helper, and of the compute parties: every role hears them.
[[nodiscard]] bool makes_the_session(const Topology& topology, NodeId role);

// From the config's session and the nonces of the roles that make the session; those of others do not count. Throws
// std::out_of_range if one is missing.
[[nodiscard]] SessionId fresh_session(const Topology& topology, const SessionId& of_config,
                                      const std::map<NodeId, Nonce>& nonces);

// What the digest field of every chunk holds: the session and the epoch, hashed.
[[nodiscard]] std::uint64_t epoch_digest(const SessionId& session, std::uint32_t epoch);

// 32 hex digits.
[[nodiscard]] std::string text_of(const SessionId& session);

}  // namespace sotto::net
