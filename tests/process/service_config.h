// What roles of the services of these tests have in common.
#pragma once

#include "apps/live/serve/local_service.h"
#include "tests/process/ports.h"

namespace sotto::testing {

// Two parties, or three that make randomness in pairs; learns after a second. The roles that others connect to have
// ports of their own.
inline apps::live::LiveConfig service_of_three_arms(RandomnessBy preprocessing = RandomnessBy::dealer) {
  apps::live::LiveConfig config;
  config.session = apps::fresh_session();
  config.preprocessing = preprocessing;
  config.parties = preprocessing == RandomnessBy::replicated ? 3 : 2;
  config.steps = 100'000;
  config.live.arms = {"red", "green", "blue"};
  config.live.baseline_arm = 0;
  config.live.reward_wait = 1000;
  config.live.batch_sizes = {1, 8};
  config.live.decision_deadline = 60'000;
  config.round_deadline_seconds = 20;
  for (const apps::RunRole& role : config.roles()) {
    if (role.listens) config.peers[role.key] = Ports::take();
  }
  return config;
}

// Waits for no features, gives no event up, and takes a reward of 1 for one that never came.
inline apps::live::LiveConfig service_of_default_rows(RandomnessBy preprocessing = RandomnessBy::dealer) {
  apps::live::LiveConfig config = service_of_three_arms(preprocessing);
  config.live.cut_off = 0;
  config.live.decision_deadline = 3'600'000;
  config.live.default_reward = 1;
  return config;
}

}  // namespace sotto::testing
