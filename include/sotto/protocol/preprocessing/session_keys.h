// The seeds of a run: one 128-bit seed a node, which that node shares with the dealer, and the dealer's own.
//
// Every run takes fresh seeds from the operating system. A node expands its seed by AES-128-CTR under keys derived by
// HKDF with the session and the epoch, so that no two epochs of a run share a single word.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sotto/protocol/party/topology.h"
#include "sotto/protocol/random/seed.h"

namespace sotto::protocols {

struct SessionKeys {
  std::vector<Seed> nodes;  // by node: the seed that the dealer sends to it
  Seed coins;               // the dealer's private samples
};

// Seeds from the operating system, or, with `insecure_number`, seeds that anybody can repeat (for tests and
// reproduction only). Throws ResourceError if the system gives no randomness.
[[nodiscard]] SessionKeys draw_session_keys(const Topology& topology, std::optional<std::uint64_t> insecure_number);

// The label under which a seed is expanded in an epoch of a session.
[[nodiscard]] std::string expansion_label(const std::string& session, std::uint32_t epoch);

}  // namespace sotto::protocols
