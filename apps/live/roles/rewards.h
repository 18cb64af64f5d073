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
inline constexpr std::size_t most_rewards = 256;      // the most rewards of one event

struct RewardCall {
  EventId event{};
  double value = 0;
  std::string id{};  // id of the reward; needed with the aggregations sum and max

  friend bool operator==(const RewardCall&, const RewardCall&) = default;
};

enum class RewardStatus : std::uint8_t {
  used,
  duplicate,    // the same reward was sent before; or a further reward where `earliest` takes only the first
  late,         // the batch of the event is closed
  conflict,     // another value under the same id
  unknown,      // the reward is kept for a while, because the event's number may come later
  invalid,      // the value is not from -1 to 1, the id is missing or too long, or there are too many rewards
  not_learned,  // its event is never learned: decided while the mode was frozen, dropped, or beyond the last event that
                // is learned
};
inline constexpr std::size_t reward_statuses = 7;

struct RewardRow {
  OrderNumber number = 0;  // number of the event's decide; 0 while the event is not known
  LiveTime at = 0;         // time at which the event's number or first reward came here
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

// Adds the reward of the call to the row, if it counts. Returns `used` if it was added.
[[nodiscard]] RewardStatus add_reward(RewardRow& row, const RewardCall& call, RewardAggregation aggregation);

// The reward that is learned of an event.
struct LearnedReward {
  double value = 0;      // in [-1, 1]
  bool learned = true;   // false: the event is left out, and no other role sees that
  bool clipped = false;  // whether the rewards add up to a sum beyond [-1, 1]
  friend bool operator==(const LearnedReward&, const LearnedReward&) = default;
};
[[nodiscard]] LearnedReward aggregated(const RewardRow& row, const LiveSettings& settings);

}  // namespace sotto::apps::live
