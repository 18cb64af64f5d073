#include "sotto/protocol/io/tell.h"

#include <utility>

#include "sotto/protocol/async/when_all.h"
#include "sotto/protocol/io/deliver.h"

namespace sotto::protocols {

Task<Words> tell(Party& party, Words words, std::size_t lanes, Label label) {
  const Topology& topology = party.topology();
  PoolVector<Task<Words>> deliveries;
  for (std::size_t node = topology.parties(); node < topology.nodes(); ++node) {
    const Words from_first = party.is(0) ? words : Words{};
    deliveries.push_back(deliver(party, 0, static_cast<NodeId>(node), from_first, lanes, label));
  }
  PoolVector<Words> heard = co_await when_all(std::move(deliveries));
  for (Words& received : heard) {
    if (!received.empty()) words = std::move(received);
  }
  co_return words;
}

}  // namespace sotto::protocols
