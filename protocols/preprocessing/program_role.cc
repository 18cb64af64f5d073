#include "sotto/protocol/preprocessing/program_role.h"

#include <fmt/format.h>

#include <vector>

#include "core/party/no_preprocessing.h"
#include "protocols/preprocessing/dealt_sides.h"

namespace sotto::protocols {

ProgramRole::ProgramRole(const Topology& topology, std::optional<NodeId> self)
    : rounds_(std::make_unique<Rounds>(topology, self)) {}

template <class Side>
Side* ProgramRole::hold(std::unique_ptr<Side> side) {
  Side* held = side.get();
  preprocessing_ = std::move(side);
  party_ = std::make_unique<Party>(*rounds_, *preprocessing_);
  return held;
}

ProgramRole::ProgramRole(const Topology& topology, const SessionKeys& keys, const std::string& label)
    : ProgramRole(topology, std::nullopt) {
  std::vector<Seed> seeds;
  for (const Seed& seed : keys.nodes) seeds.push_back(seed.derive(label));
  writer_ = hold(std::make_unique<DealtAtDealer>(rounds_->ledger(), seeds, keys.coins.derive(label)));
}

ProgramRole::ProgramRole(const Topology& topology, NodeId self, const Seed& seed, const std::string& label)
    : ProgramRole(topology, std::optional(self)) {
  reader_ = hold(std::make_unique<DealtAtNode>(rounds_->ledger(), self, seed.derive(label)));
}

ProgramRole::ProgramRole(const Topology& topology, NodeId self) : ProgramRole(topology, std::optional(self)) {
  hold(std::make_unique<NoPreprocessing>());
}

SessionKeys draw_session_keys(const Topology& topology, std::optional<std::uint64_t> insecure_number) {
  const Seed root = insecure_number ? Seed::insecure_from_number(*insecure_number) : Seed::from_os();
  SessionKeys keys{{}, root.derive("dealer coins")};
  for (std::size_t node = 0; node < topology.nodes(); ++node) {
    keys.nodes.push_back(root.derive(fmt::format("node {}", node)));
  }
  return keys;
}

std::string expansion_label(const std::string& session, std::uint32_t epoch) {
  return fmt::format("sotto expansion, session {}, epoch {}", session, epoch);
}

}  // namespace sotto::protocols
