// The scheduler, the preprocessing and the Party of one role.
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

// The 128-bit seeds of a run, fresh from the operating system. Each node shares its seed with the dealer. HKDF derives
// keys from the seed, the session and the epoch. AES-128-CTR expands the keys. So no two epochs of a run share a word.

struct SessionKeys {
  std::vector<Seed> nodes;
  Seed coins;  // for the dealer's private samples
};

// With `insecure_number`, anybody can compute the seeds. Throws ResourceError if the system gives no randomness.
[[nodiscard]] SessionKeys draw_session_keys(const Topology& topology, std::optional<std::uint64_t> insecure_number);

// The label under which seeds are expanded in an epoch of a session.
[[nodiscard]] std::string expansion_label(const std::string& session, std::uint32_t epoch);

namespace detail {
template <class Program>
using ResultOf = decltype(std::declval<std::invoke_result_t<Program&, Party&>>().take());
}  // namespace detail

class ProgramRole {
 public:
  // Makes the role of the dealer. No other run may have the same `label` (expansion_label).
  ProgramRole(const Topology& topology, const SessionKeys& keys, const std::string& label);
  // Makes the role of a node in a run with a dealer.
  ProgramRole(const Topology& topology, NodeId self, const Seed& seed, const std::string& label);
  // Makes the role of a node in a run without a dealer, and so without preprocessing.
  ProgramRole(const Topology& topology, NodeId self);

  [[nodiscard]] Party& party() { return *party_; }
  [[nodiscard]] Rounds& rounds() { return *rounds_; }
  [[nodiscard]] ChunkWriter* writer() { return writer_; }
  // Null in a run without a dealer. Only the last party gets chunks.
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
