#include "sotto/protocol/summation/zero_shares.h"

#include <optional>
#include <string>
#include <utility>

#include "sotto/protocol/async/when_all.h"
#include "sotto/protocol/io/deliver.h"

namespace sotto::protocols {

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
