// The rewards of an event, as the rewarder stores them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/live/rows/live_rows.h"
#include "apps/live/settings/live_settings.h"

namespace sotto::apps::live {

inline constexpr std::size_t longest_reward_id = 64;  // bytes
inline constexpr std::size_t most_rewards = 256;      // of an event

struct RewardCall {
  EventId event{};
  double value = 0;
  std::string id{};  // needed for sum and max

  friend bool operator==(const RewardCall&, const RewardCall&) = default;
};

enum class RewardStatus : std::uint8_t {
  used,
  duplicate,    // the same again; or a further one, of which `earliest` takes the first alone
  late,         // its batch is closed
  conflict,     // another value under the same id
  unknown,      // kept a while: the number may be behind
  invalid,      // no number from -1 to 1, an id that is missing or too long, or too many of them
  not_learned,  // its event is never learned: decided while the mode was frozen, dropped, or beyond the last one
                // learned
};
inline constexpr std::size_t reward_statuses = 7;

struct RewardRow {
  OrderNumber number = 0;  // of the decide; 0 while the event is not known
  LiveTime at = 0;         // when it came here
  struct One {
    std::string id;
    double value = 0;
    friend bool operator==(const One&, const One&) = default;
  };
  std::vector<One> rewards;  // in the order of their calls

  friend bool operator==(const RewardRow&, const RewardRow&) = default;
};
[[nodiscard]] std::vector<std::byte> encode(const RewardRow& row);
[[nodiscard]] std::optional<RewardRow> decode_reward_row(std::span<const std::byte> bytes);

// The call added to the row, if that is to be. `used` where it was.
[[nodiscard]] RewardStatus add_reward(RewardRow& row, const RewardCall& call, RewardAggregation aggregation);

// What is learned of an event.
struct LearnedReward {
  double value = 0;      // in [-1, 1]
  bool learned = true;   // else the event is left out, which nobody else sees
  bool clipped = false;  // their sum is beyond [-1, 1]
  friend bool operator==(const LearnedReward&, const LearnedReward&) = default;
};
[[nodiscard]] LearnedReward aggregated(const RewardRow& row, const LiveSettings& settings);

}  // namespace sotto::apps::live
