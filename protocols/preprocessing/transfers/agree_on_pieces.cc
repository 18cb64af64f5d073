#include <algorithm>
#include <utility>

#include "protocols/preprocessing/transfers/transfer_pieces.h"
#include "sotto/protocol/async/when_all.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/io/deliver.h"

namespace sotto::protocols {
namespace {

using Key = std::shared_ptr<const Seed>;

Key shared_key(Seed seed) { return std::make_shared<const Seed>(std::move(seed)); }
Key derived(const Key& key, const std::string& label) { return key ? shared_key(key->derive(label)) : nullptr; }

// A public hash of the label.
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

struct SetUp {
  std::optional<NodeId> self, node;
  TransferKeys keys;
  std::shared_ptr<TransferPair> transfers;

  [[nodiscard]] TransferPieces pieces(const std::string& label) const {
    TransferKeys own{derived(keys.own, label),
                     derived(keys.pair, label),
                     {},
                     derived(keys.with_0, label),
                     derived(keys.with_1, label)};
    for (const Key& key : keys.owners) own.owners.push_back(derived(key, label));
    return {self, node, std::move(own), transfers};
  }
};

Task<SetUp> agree_on_set_up(Party& party, Seed secret, std::string label, unsigned k) {
  const Topology& topology = party.topology();
  require_argument(topology.parties() == 2 && !topology.has_dealer(),
                   "preprocessing by oblivious transfers is for two compute parties without a dealer");
  const Seed with_0 = secret.derive("key with party 0");
  const Seed with_1 = secret.derive("key with party 1");
  // Party 0 makes the key that both parties share.
  std::vector<Delivery> deliveries{{0, 1}};
  for (NodeId node = 2; node < topology.nodes(); ++node) {
    deliveries.push_back({node, 0});
    deliveries.push_back({node, 1});
  }
  auto [agreed_transfers, received] = co_await when_all(agree_on_transfers(party, k, session_of(label)),
                                                        deliver_keys(party, deliveries, with_0, with_1));
  SetUp agreed{{}, {}, {}, std::make_shared<TransferPair>(std::move(agreed_transfers))};
  for (NodeId i = 0; i < topology.nodes(); ++i) {
    if (party.is(i)) agreed.node = i;
  }
  TransferKeys& keys = agreed.keys;
  if (agreed.node && *agreed.node < 2) {
    agreed.self = agreed.node;
    keys.own = shared_key(secret.derive("own key"));
    if (*agreed.node == 0) keys.pair = shared_key(secret.derive("key with party 1"));
    keys.owners.resize(topology.nodes());
    for (std::size_t i = 0; i < deliveries.size(); ++i) {
      if (!received[i] || deliveries[i].to != *agreed.node) continue;
      Key key = shared_key(std::move(*received[i]));
      (deliveries[i].from == 0 ? keys.pair : keys.owners[deliveries[i].from]) = std::move(key);
    }
  } else if (agreed.node) {
    keys.with_0 = shared_key(secret.derive("key with party 0"));
    keys.with_1 = shared_key(secret.derive("key with party 1"));
  }
  co_return std::move(agreed);
}

}  // namespace

Task<TransferPieces> agree_on_transfer_pieces(Party& party, Seed secret, std::string label, unsigned k) {
  const SetUp agreed = co_await agree_on_set_up(party, std::move(secret), label, k);
  co_return agreed.pieces(label);
}

Task<MakePieces> agree_on_all_transfer_pieces(Party& party, Seed secret, std::string label, unsigned k) {
  SetUp agreed = co_await agree_on_set_up(party, std::move(secret), std::move(label), k);
  co_return [agreed = std::move(agreed)](const std::string& of) -> std::unique_ptr<PieceProtocols> {
    return std::make_unique<TransferPieces>(agreed.pieces(of));
  };
}

}  // namespace sotto::protocols
