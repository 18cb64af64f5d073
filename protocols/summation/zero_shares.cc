#include "sotto/protocols/summation/zero_shares.h"

#include <array>
#include <cstring>
#include <string>
#include <utility>

#include "sotto/core/async/when_all.h"
#include "sotto/protocols/io/deliver.h"

namespace sotto::protocols {
namespace {

constexpr std::size_t seed_words = Seed::size / sizeof(std::uint64_t);

Words words_of(const Seed& seed) {
  Words words(seed_words);
  std::memcpy(words.data(), seed.expose().data(), Seed::size);
  return words;
}

Seed seed_of(const Words& words) {
  std::array<std::byte, Seed::size> bytes{};
  std::memcpy(bytes.data(), words.data(), bytes.size());
  return Seed::from_bytes(bytes);
}

}  // namespace

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
  std::vector<Task<Words>> deliveries;
  for (NodeId low = 0; low < parties; ++low) {
    for (NodeId high = static_cast<NodeId>(low + 1); high < parties; ++high) {
      Words seed;
      if (party.is(low)) {
        with_higher.push_back(secret.derive("zero shares with party " + std::to_string(high)));
        seed = words_of(with_higher.back());
      }
      deliveries.push_back(deliver(party, low, high, std::move(seed), seed_words, "seed of a pair"));
    }
  }
  const auto received = co_await when_all(std::move(deliveries));
  for (const Words& words : received) {
    if (!words.empty()) with_lower.push_back(seed_of(words));
  }
  co_return ZeroShares(with_lower, with_higher);
}

}  // namespace sotto::protocols
