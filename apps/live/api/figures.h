// What a role's own page shows of what is its own, as JSON of GET /v1/figures: at the actor how often it told each arm,
// at a party the range of each of its columns, and how the rows that its recipe makes drift (row_drift.h), at the
// rewarder the rewards that were learned. What is of events is kept in the store, and counted since `since_ms`; what is
// of programs, and how rows drift, since the process began. It is for that role's own side. Of arms, columns and
// rewards metrics have no more than how many values of a column drift.
#pragma once

#include <array>
#include <nlohmann/json_fwd.hpp>

#include "apps/live/api/api_context.h"

namespace sotto::apps::live {

[[nodiscard]] nlohmann::ordered_json figures_json(LiveRoleKind kind, const LiveCounters& counters,
                                                  const ApiContext& context);

inline constexpr std::array all_reward_statuses{
    RewardStatus::used,    RewardStatus::duplicate, RewardStatus::late,       RewardStatus::conflict,
    RewardStatus::unknown, RewardStatus::invalid,   RewardStatus::not_learned};
static_assert(all_reward_statuses.size() == reward_statuses);
// "used", "duplicate", "late", "conflict", "unknown", "invalid", "not_learned".
[[nodiscard]] const char* name_of(RewardStatus status);

}  // namespace sotto::apps::live
