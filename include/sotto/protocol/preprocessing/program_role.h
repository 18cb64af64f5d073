// The parts that one role of a run needs for its program: its scheduler, its preprocessing and its Party.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "sotto/protocol/party/party.h"
#include "sotto/protocol/party/rounds.h"
#include "sotto/protocol/party/topology.h"
#include "sotto/protocol/random/seed.h"

namespace sotto::protocols {

// The seeds of a run: one 128-bit seed for each node, which the node shares with the dealer, and the dealer's own seed.
//
// Every run takes fresh seeds from the operating system. A node expands its seed by AES-128-CTR under keys derived by
// HKDF with the session and the epoch, so that no two epochs of a run share a single word.

struct SessionKeys {
  std::vector<Seed> nodes;  // by node: the seed that the dealer sends to the node
  Seed coins;               // the seed of the dealer's private samples
};

// Seeds from the operating system, or, with `insecure_number`, seeds that anybody can repeat (for tests and
// reproduction only). Throws ResourceError if the system gives no randomness.
[[nodiscard]] SessionKeys draw_session_keys(const Topology& topology, std::optional<std::uint64_t> insecure_number);

// The label under which a seed is expanded in an epoch of a session.
[[nodiscard]] std::string expansion_label(const std::string& session, std::uint32_t epoch);

namespace detail {
// The type that the task of a program returns.
template <class Program>
using ResultOf = decltype(std::declval<std::invoke_result_t<Program&, Party&>>().take());
}  // namespace detail

class ProgramRole {
 public:
  // The dealer. Seeds are expanded under `label` (expansion_label), which no other run has.
  ProgramRole(const Topology& topology, const SessionKeys& keys, const std::string& label);
  // A node of a run with a dealer.
  ProgramRole(const Topology& topology, NodeId self, const Seed& seed, const std::string& label);
  // A node of a run without a dealer, and so without preprocessing.
  ProgramRole(const Topology& topology, NodeId self);

  [[nodiscard]] Party& party() { return *party_; }
  [[nodiscard]] Rounds& rounds() { return *rounds_; }
  // The writer of chunks, at the dealer.
  [[nodiscard]] ChunkWriter* writer() { return writer_; }
  // The reader of chunks, at any node of a run with a dealer; only the last party gets chunks.
  [[nodiscard]] ChunkReader* reader() { return reader_; }

 private:
  ProgramRole(const Topology& topology, std::optional<NodeId> self);
  template <class Side>
  Side* hold(std::unique_ptr<Side> side);

  std::unique_ptr<Rounds> rounds_;
  std::unique_ptr<Preprocessing> preprocessing_;
  ChunkWriter* writer_ = nullptr;
  ChunkReader* reader_ = nullptr;
  std::unique_ptr<Party> party_;
};

}  // namespace sotto::protocols
