#include "sotto/protocol/summation/secure_sum.h"

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "sotto/protocol/async/when_all.h"
#include "sotto/protocol/io/deliver.h"

namespace sotto::protocols {

Task<Words> secure_sum(Party& party, NodeId receiver, ZeroShares& zero, Words values, std::size_t lanes, Label label) {
  if (values.size() != (party.holds_shares() ? lanes : 0)) {
    throw std::invalid_argument("each party gives a word a lane, and nobody else any");
  }
  zero.add_to(values);
  Words sum;
  if (party.is(receiver)) {
    sum = std::move(values);
    sum.resize(lanes, 0);
    values.clear();
  }
  const Slot slot{label, SlotKind::open_to, 64, lanes, receiver};
  co_await Exchange(party.rounds(), slot, values, sum);
  co_return sum;
}

ZeroShares::ZeroShares(const std::vector<Seed>& with_lower, const std::vector<Seed>& with_higher) {
  for (const Seed& seed : with_lower) lower_.emplace_back(seed);
  for (const Seed& seed : with_higher) higher_.emplace_back(seed);
}

void ZeroShares::add_to(std::span<std::uint64_t> values) {
  for (Prg& prg : higher_) prg.add_to(values, 64);
  for (Prg& prg : lower_) prg.subtract_from(values, 64);
}

Task<ZeroShares> agree_on_zero_shares(Party& party, Seed secret) {
  const auto parties = static_cast<NodeId>(party.topology().parties());
  std::vector<Seed> with_lower;
  std::vector<Seed> with_higher;
  std::vector<Task<std::optional<Seed>>> deliveries;
  for (NodeId low = 0; low < parties; ++low) {
    for (NodeId high = static_cast<NodeId>(low + 1); high < parties; ++high) {
      const Seed* seed = nullptr;
      if (party.is(low)) {
        seed = &with_higher.emplace_back(secret.derive("zero shares with party " + std::to_string(high)));
      }
      deliveries.push_back(deliver_seed(party, low, high, seed, "seed of a pair"));
    }
  }
  auto received = co_await when_all(std::move(deliveries));
  for (std::optional<Seed>& seed : received) {
    if (seed) with_lower.push_back(std::move(*seed));
  }
  co_return ZeroShares(with_lower, with_higher);
}

}  // namespace sotto::protocols
