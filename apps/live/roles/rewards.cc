#include "apps/live/roles/rewards.h"

#include <algorithm>

namespace sotto::apps::live {

std::vector<std::byte> encode(const RewardRow& row) {
  ByteWriter out;
  out.number(row.number);
  out.number(row.at);
  out.number(std::uint64_t{row.rewards.size()});
  for (const RewardRow::One& one : row.rewards) {
    out.long_text(one.id);
    out.number(one.value);
  }
  return out.take();
}

std::optional<RewardRow> decode_reward_row(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  RewardRow row;
  row.number = in.number<OrderNumber>();
  row.at = in.number<LiveTime>();
  row.rewards.resize(in.length(sizeof(std::uint32_t) + sizeof(double)));
  for (RewardRow::One& one : row.rewards) {
    one.id = in.long_text(longest_reward_id);
    one.value = in.number<double>();
    if (!(one.value >= -1 && one.value <= 1)) return std::nullopt;
  }
  if (!in.at_end() || row.rewards.size() > most_rewards) return std::nullopt;
  return row;
}

RewardStatus add_reward(RewardRow& row, const RewardCall& call, RewardAggregation aggregation) {
  for (const RewardRow::One& one : row.rewards) {
    if (one.id == call.id) return one.value == call.value ? RewardStatus::duplicate : RewardStatus::conflict;
  }
  if (aggregation == RewardAggregation::earliest && !row.rewards.empty()) return RewardStatus::duplicate;
  if (row.rewards.size() >= most_rewards) return RewardStatus::invalid;
  row.rewards.push_back({call.id, call.value});
  return RewardStatus::used;
}

LearnedReward aggregated(const RewardRow& row, const LiveSettings& settings) {
  if (row.rewards.empty()) return {settings.default_reward.value_or(0), settings.default_reward.has_value()};
  double value = row.rewards.front().value;
  if (settings.aggregation == RewardAggregation::max) {
    for (const RewardRow::One& one : row.rewards) value = std::max(value, one.value);
  }
  if (settings.aggregation == RewardAggregation::sum) {
    value = 0;
    for (const RewardRow::One& one : row.rewards) value += one.value;
  }
  return {std::clamp(value, -1.0, 1.0), true, value < -1 || value > 1};
}

}  // namespace sotto::apps::live
