// What happens to each event of a soak: its features, how it is asked, what becomes of its reward. All of it follows
// from the seed and the event's number, so nothing of it is kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "apps/live/order/entry.h"

namespace sotto::apps::lab {

inline constexpr std::size_t soak_columns = 3;  // of each party
inline constexpr double soak_default = 0.125;   // of each column
inline constexpr double soak_largest = 0.25;    // of a feature

enum class RewardFate : std::uint8_t {
  never,
  once,
  twice,     // the same again
  conflict,  // another value under the same id after it
  late,      // after reward_wait
};

struct EventFate {
  live::EventId id{};
  std::vector<double> features;  // of all parties side by side; multiples of 1/64
  std::vector<bool> pushed;      // by party: before it is asked; else the default row stands
  bool asked_again = false;      // once it was told
  bool activated = true;         // with the decision
  bool activated_later = false;  // where not
  RewardFate reward = RewardFate::never;
  unsigned value = 0;  // of the reward, 0 or 1
};

[[nodiscard]] EventFate fate_of(std::uint64_t seed, std::uint64_t number, std::size_t parties);

}  // namespace sotto::apps::lab
