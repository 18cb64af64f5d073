#include "bench/lab/soak/event_fate.h"

#include <array>
#include <cstring>
#include <random>

namespace sotto::apps::lab {
namespace {

// One in so many.
bool one_in(std::mt19937_64& random, std::uint64_t many) { return random() % many == 0; }

RewardFate reward_fate(std::mt19937_64& random) {
  switch (random() % 10) {
    case 0:
    case 1:
    case 2:
      return RewardFate::never;
    case 3:
      return RewardFate::twice;
    case 4:
      return RewardFate::conflict;
    case 5:
      return RewardFate::late;
    default:
      return RewardFate::once;
  }
}

}  // namespace

EventFate fate_of(std::uint64_t seed, std::uint64_t number, std::size_t parties) {
  // Two words of a seed sequence: mt19937_64 of consecutive seeds are alike at first.
  std::seed_seq words{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                      static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(number >> 32)};
  std::mt19937_64 random(words);
  EventFate fate;
  const std::array<std::uint64_t, 2> id{random(), random()};
  static_assert(sizeof id == sizeof fate.id);
  std::memcpy(fate.id.data(), id.data(), sizeof id);
  fate.features.reserve(parties * soak_columns);
  for (std::size_t i = 0; i < parties * soak_columns; ++i) {
    fate.features.push_back(static_cast<double>(random() % 33) / 64 - soak_largest);
  }
  for (std::size_t party = 0; party < parties; ++party) fate.pushed.push_back(!one_in(random, 50));
  fate.asked_again = one_in(random, 16);
  fate.activated = !one_in(random, 64);
  fate.activated_later = !fate.activated && one_in(random, 2);
  fate.reward = reward_fate(random);
  fate.value = static_cast<unsigned>(random() % 2);
  return fate;
}

}  // namespace sotto::apps::lab
