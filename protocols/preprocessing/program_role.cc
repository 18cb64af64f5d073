#include "sotto/protocol/preprocessing/program_role.h"

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

}  // namespace sotto::protocols
