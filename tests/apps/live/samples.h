// Events and settings that tests of the service share.
#pragma once

#include "apps/live/order/entry.h"
#include "apps/live/settings/live_settings.h"

namespace sotto::apps::live::testing {

inline EventId live_event(unsigned number) {
  return EventId{static_cast<std::byte>(number), static_cast<std::byte>(number >> 8), std::byte{1}};
}

inline LiveSettings live_settings() {
  LiveSettings settings;
  settings.arms = {"a", "b", "c"};
  settings.batch_sizes = {1, 4};
  settings.baseline_arm = 0;
  settings.reward_wait = 10'000;
  settings.remember = 100'000;
  settings.feature_wait = 20'000;
  return settings;
}

}  // namespace sotto::apps::live::testing
