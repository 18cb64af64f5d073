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
inline constexpr std::size_t most_rewards = 256;      // of one event

struct RewardCall {
  EventId event{};
  double value = 0;
  std::string id{};  // needed with the aggregations sum and max

  friend bool operator==(const RewardCall&, const RewardCall&) = default;
};

enum class RewardStatus : std::uint8_t {
  used,
  duplicate,  // an equal reward was sent before, or the aggregation uses only the first reward (`earliest`)
  late,
  conflict,
  unknown,      // the reward is stored for a while, because the event may be decided later
  invalid,      // the value is out of range, the id is missing or too long, or there are too many rewards
  not_learned,  // never learned: decided in mode frozen, dropped by a recovery, or after the end of learning
};
inline constexpr std::size_t reward_statuses = 7;

struct RewardRow {
  OrderNumber number = 0;  // number of the event's decide; 0: the event is not known yet
  LiveTime at = 0;
  struct One {
    std::string id;
    double value = 0;
    friend bool operator==(const One&, const One&) = default;
  };
  std::vector<One> rewards;

  friend bool operator==(const RewardRow&, const RewardRow&) = default;
};
[[nodiscard]] std::vector<std::byte> encode(const RewardRow& row);
[[nodiscard]] std::optional<RewardRow> decode_reward_row(std::span<const std::byte> bytes);

[[nodiscard]] RewardStatus add_reward(RewardRow& row, const RewardCall& call, RewardAggregation aggregation);

struct LearnedReward {
  double value = 0;      // in [-1, 1]
  bool learned = true;   // false: the learn leaves out the event; no other role sees this
  bool clipped = false;  // true if the sum of the rewards is beyond [-1, 1]
  friend bool operator==(const LearnedReward&, const LearnedReward&) = default;
};
[[nodiscard]] LearnedReward aggregated(const RewardRow& row, const LiveSettings& settings);

}  // namespace sotto::apps::live
