// The private bandit over a wide area: short runs of real processes on emulated links, each beside
// the model of its time (apps/bandit/link_model.h).
//
// Correlations are dealt ahead, so that the dealer's link decides nothing. The data are random: a
// step takes the same whatever they are.
#pragma once

#include <atomic>
#include <cstdint>

#include "sotto/apps/bandit/link_model.h"

namespace sotto::apps {

struct WanSetting {
  std::size_t parties = 2;
  std::size_t features = 20;
  std::size_t arms = 10;
  net::LinkConditions link;
};

struct WanPoint {
  WanSetting setting;
  std::uint64_t steps = 0;   // that were run
  std::uint64_t rounds = 0;  // a step
  std::uint64_t bytes = 0;   // that the largest party sends a step
  LinkModel model;
};

// Of `repeat` runs (one at least) the one whose time is in the middle; each has as many steps as
// take about `seconds`, 10 to 300. Errors as of launch_local_run().
[[nodiscard]] WanPoint measure_wan(const WanSetting& setting, std::size_t repeat, double seconds,
                                   const std::atomic<bool>& interrupted);

}  // namespace sotto::apps
