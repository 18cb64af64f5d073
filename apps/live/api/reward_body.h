// A reward as the rewarder's own side gives it: {"value":1,"reward_id":"a1"}.
#pragma once

#include <string_view>

#include "apps/live/roles/rewards.h"

namespace sotto::apps::live {

struct RewardTerms {
  RewardAggregation aggregation = RewardAggregation::earliest;
  bool binary = false;  // 0 or 1, else from -1 to 1
};

// Of the body of POST /v1/events/{event}/reward. Throws JsonError, or ProblemError (422) for a value outside its range
// and for a reward_id that the aggregation needs and that is missing.
[[nodiscard]] RewardCall read_reward(std::string_view text, const EventId& event, const RewardTerms& terms);
// Of a line of POST /v1/rewards:batch, which has its "event" too.
[[nodiscard]] RewardCall read_reward_line(std::string_view text, const RewardTerms& terms);

}  // namespace sotto::apps::live
