#include "protocols/preprocessing/replicated/run_replicated.h"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include "protocols/preprocessing/replicated/helped_keys.h"
#include "protocols/preprocessing/replicated/replicated.h"
#include "sotto/protocol/async/when_all.h"
#include "sotto/protocol/io/deliver.h"

namespace sotto::protocols {
namespace {

std::string owner_label(NodeId key) { return fmt::format("owner key {}", key); }

using SharedSeed = std::shared_ptr<const Seed>;

struct PairSeeds {
  std::optional<NodeId> self;
  SharedSeed own, next;
  std::map<NodeId, PoolVector<SharedSeed>> of_owners;

  [[nodiscard]] PairKeys keys(const std::string& label) const {
    PairKeys keys;
    if (self) keys = PairKeys(*self, pair_expansion(*own, label), pair_expansion(*next, label));
    for (const auto& [owner, seeds] : of_owners) {
      PoolVector<PairExpansion> expansions;
      for (const SharedSeed& seed : seeds) expansions.push_back(pair_expansion(*seed, label));
      keys.add_owner(owner, std::move(expansions));
    }
    return keys;
  }
};

SharedSeed shared(Seed seed) { return std::make_shared<const Seed>(std::move(seed)); }

Task<PairSeeds> agree_on_seeds(Party& party, Seed secret) {
  const Topology& topology = party.topology();
  if (topology.parties() + (topology.has_helper() ? 1 : 0) != replicated_parties || topology.has_dealer()) {
    throw std::invalid_argument("pair keys are for three compute parties, or two and a helper, without a dealer");
  }
  // Party i makes key i, and a node outside the parties makes its own keys.
  const Seed own = secret.derive("pair key");
  PoolVector<Task<std::optional<Seed>>> deliveries;
  for (NodeId i = 0; i < replicated_parties; ++i) {
    deliveries.push_back(deliver_seed(party, i, previous_of(i), &own, "pair key"));
  }
  for (NodeId owner = replicated_parties; owner < topology.nodes(); ++owner) {
    for (NodeId i = 0; i < replicated_parties; ++i) {
      const Seed at_own = secret.derive(owner_label(i));
      const Seed at_next = secret.derive(owner_label(next_of(i)));
      deliveries.push_back(deliver_seed(party, owner, i, &at_own, "owner key"));
      deliveries.push_back(deliver_seed(party, owner, i, &at_next, "owner key"));
    }
  }
  auto received = co_await when_all(std::move(deliveries));

  PairSeeds seeds;
  for (NodeId i = 0; i < replicated_parties; ++i) {
    std::optional<Seed>& next = received[next_of(i)];
    if (!next) continue;
    seeds.self = i;
    seeds.own = shared(secret.derive("pair key"));
    seeds.next = shared(std::move(*next));
  }
  std::size_t at = replicated_parties;
  for (NodeId owner = replicated_parties; owner < topology.nodes(); ++owner) {
    PoolVector<SharedSeed> of_owner;
    for (NodeId i = 0; i < replicated_parties; ++i) {
      if (party.is(owner)) of_owner.push_back(shared(secret.derive(owner_label(i))));
      for (int key = 0; key < 2; ++key, ++at) {
        if (received[at]) of_owner.push_back(shared(std::move(*received[at])));
      }
    }
    if (!of_owner.empty()) seeds.of_owners[owner] = std::move(of_owner);
  }
  co_return std::move(seeds);
}

}  // namespace

Task<PairKeys> agree_on_pair_keys(Party& party, Seed secret, std::string label) {
  const PairSeeds seeds = co_await agree_on_seeds(party, std::move(secret));
  co_return seeds.keys(label);
}

Task<MakePieces> agree_on_pair_pieces(Party& party, Seed secret) {
  PairSeeds seeds = co_await agree_on_seeds(party, std::move(secret));
  const bool helped = party.topology().has_helper();
  co_return [helped, seeds = std::move(seeds)](const std::string& label) -> std::unique_ptr<PieceProtocols> {
    if (helped) return std::make_unique<HelpedKeys>(seeds.keys(label));
    return std::make_unique<PairKeys>(seeds.keys(label));
  };
}

}  // namespace sotto::protocols
