#include <algorithm>
#include <utility>

#include "sotto/core/async/when_all.h"
#include "sotto/core/error/errors.h"
#include "sotto/protocols/io/deliver.h"
#include "sotto/protocols/preprocessing/transfers/transfer_pieces.h"

namespace sotto::protocols {
namespace {

using Key = std::shared_ptr<const Seed>;

Key shared_key(const Seed& seed, const std::string& label) { return std::make_shared<const Seed>(seed.derive(label)); }

// No secret: the label in 16 bytes.
std::array<std::byte, 16> session_of(const std::string& label) {
  const Seed digest = Seed::insecure_from_number(0).derive(label);
  std::array<std::byte, 16> session{};
  std::copy(digest.expose().begin(), digest.expose().end(), session.begin());
  return session;
}

struct Delivery {
  NodeId from, to;
};

Task<std::vector<std::optional<Seed>>> deliver_keys(Party& party, const std::vector<Delivery>& deliveries,
                                                    const Seed& with_0, const Seed& with_1) {
  std::vector<Task<std::optional<Seed>>> tasks;
  tasks.reserve(deliveries.size());
  for (const Delivery& one : deliveries) {
    tasks.push_back(deliver_seed(party, one.from, one.to, one.to == 0 ? &with_0 : &with_1, "keys of two"));
  }
  co_return co_await when_all(std::move(tasks));
}

}  // namespace

Task<TransferPieces> agree_on_transfer_pieces(Party& party, Seed secret, std::string label, unsigned k) {
  const Topology& topology = party.topology();
  require_argument(topology.parties() == 2 && !topology.has_dealer(),
                   "preprocessing by oblivious transfers is for two compute parties without a dealer");
  const Seed own = secret.derive("own key");
  const Seed with_0 = secret.derive("key with party 0");
  const Seed with_1 = secret.derive("key with party 1");
  // The parties' common key is of party 0's making.
  std::vector<Delivery> deliveries{{0, 1}};
  for (NodeId node = 2; node < topology.nodes(); ++node) {
    deliveries.push_back({node, 0});
    deliveries.push_back({node, 1});
  }
  auto [transfers, received] = co_await when_all(agree_on_transfers(party, k, session_of(label)),
                                                 deliver_keys(party, deliveries, with_0, with_1));
  std::optional<NodeId> self;
  std::optional<NodeId> node;
  for (NodeId i = 0; i < topology.nodes(); ++i) {
    if (party.is(i)) node = i;
  }
  TransferKeys keys;
  if (node && *node < 2) {
    self = node;
    keys.own = shared_key(own, label);
    if (*node == 0) keys.pair = shared_key(with_1, label);
    keys.owners.resize(topology.nodes());
    for (std::size_t i = 0; i < deliveries.size(); ++i) {
      if (!received[i] || deliveries[i].to != *node) continue;
      Key key = shared_key(*received[i], label);
      (deliveries[i].from == 0 ? keys.pair : keys.owners[deliveries[i].from]) = std::move(key);
    }
  } else if (node) {
    keys.with_0 = shared_key(with_0, label);
    keys.with_1 = shared_key(with_1, label);
  }
  co_return TransferPieces(self, node, std::move(keys), std::move(transfers));
}

}  // namespace sotto::protocols
