#include "bench/lab/soak/soak_calls.h"

#include <fmt/format.h>

#include "apps/live/api/event_text.h"

namespace sotto::apps::lab {
namespace {

bool is_other(SoakStep step) { return step == SoakStep::other || step == SoakStep::check_other; }

}  // namespace

std::string features_line(const EventFate& fate, std::size_t party, SoakStep step) {
  std::string line = fmt::format(R"({{"event":"{}","schema":1,"x":[)", event_text(fate.id));
  for (std::size_t i = 0; i < soak_columns; ++i) {
    const double value = fate.features[party * soak_columns + i];
    // The other one is no multiple of 1/64, so it is always another.
    line += fmt::format("{}{}", i == 0 ? "" : ",", is_other(step) ? value / 2 + 1. / 1024 : value);
  }
  return line + "]}";
}

std::string request_line(const EventFate& fate) {
  return fmt::format(R"({{"event":"{}"{}}})", event_text(fate.id), fate.activated ? "" : R"(,"activate":false)");
}

std::string reward_line(const EventFate& fate, SoakStep step) {
  return fmt::format(R"({{"event":"{}","value":{},"reward_id":"r"}})", event_text(fate.id),
                     is_other(step) ? 1 - fate.value : fate.value);
}

}  // namespace sotto::apps::lab
