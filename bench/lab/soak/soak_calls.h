// What each call of a soak is for, and the line that it sends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "bench/lab/soak/call_lane.h"
#include "bench/lab/soak/event_fate.h"

namespace sotto::apps::lab {

enum class SoakStep : std::uint8_t {
  first,  // features, a request, a reward, an activation: acknowledged or answered for the first time
  again,  // the same again
  other,  // another value for what is known
  check,  // at the end: the same again
  check_other,
};

[[nodiscard]] inline SoakCall call_of(std::uint64_t event, SoakStep step) {
  return {event, static_cast<std::uint8_t>(step)};
}
[[nodiscard]] inline SoakStep step_of(const SoakCall& call) { return static_cast<SoakStep>(call.step); }

// JSON of a call to a party, the actor, the rewarder.
[[nodiscard]] std::string features_line(const EventFate& fate, std::size_t party, SoakStep step);
[[nodiscard]] std::string request_line(const EventFate& fate);
[[nodiscard]] std::string reward_line(const EventFate& fate, SoakStep step);

}  // namespace sotto::apps::lab
