// The body of a call for a decision:
//   {"event":"32 hex","subject":"p-81f2","deadline_ms":50,"wait_ms":0,"activate":true,"own_arm":"b","not_arms":["c"]}
// All fields may be missing. Without `event` one is made, so that the same call again is another event.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/live/roles/decisions.h"

namespace sotto::apps::live {

// The longest that a call waits for its answer.
inline constexpr std::chrono::milliseconds longest_wait{30'000};
inline constexpr std::uint64_t longest_deadline = 86'400'000;  // ms
inline constexpr std::size_t longest_arm_name = 256;           // bytes

struct DecisionCall {
  DecisionRequest request;
  std::optional<std::chrono::milliseconds> wait;  // nothing: until it is answered
};

// Throws JsonError: no JSON, a field of another type or range, one that is not known, an arm that is none of `arms` or
// comes twice, no arm left, a subject that is no printable ASCII without blanks. `text` may be empty in place of {}.
[[nodiscard]] DecisionCall read_decision(std::string_view text, const std::vector<std::string>& arms);

}  // namespace sotto::apps::live
