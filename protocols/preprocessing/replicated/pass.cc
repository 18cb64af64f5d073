#include "protocols/preprocessing/replicated/pass.h"

#include <utility>

#include "protocols/preprocessing/replicated/replicated.h"
#include "sotto/protocol/async/when_all.h"
#include "sotto/protocol/io/deliver.h"

namespace sotto::protocols {
namespace {

Task<Words> pass(Party& party, NodeId (*receiver_of)(NodeId), Words mine, std::size_t words, Label label) {
  if (words == 0) co_return Words{};
  PoolVector<Task<Words>> deliveries;
  for (NodeId from = 0; from < replicated_parties; ++from) {
    Words sent = party.is(from) ? std::move(mine) : Words{};
    deliveries.push_back(deliver(party, from, receiver_of(from), std::move(sent), words, label));
  }
  PoolVector<Words> received = co_await when_all(std::move(deliveries));
  for (Words& got : received) {
    if (!got.empty()) co_return std::move(got);
  }
  co_return Words{};
}

}  // namespace

Task<Words> pass_back(Party& party, Words mine, std::size_t words, Label label) {
  return pass(party, &previous_of, std::move(mine), words, label);
}

Task<Words> pass_on(Party& party, Words mine, std::size_t words, Label label) {
  return pass(party, &next_of, std::move(mine), words, label);
}

}  // namespace sotto::protocols
