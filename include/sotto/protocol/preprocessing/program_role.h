// What one role of a run has to run its program: its scheduler, its preprocessing and its Party.
#pragma once

#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "sotto/protocol/party/party.h"
#include "sotto/protocol/party/rounds.h"
#include "sotto/protocol/preprocessing/session_keys.h"

namespace sotto::protocols {

namespace detail {
// What the task of a program returns.
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
  // The dealer's.
  [[nodiscard]] ChunkWriter* writer() { return writer_; }
  // Of any node with a dealer; only the last party gets chunks.
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
