// Private runs of the paper's experiments: what `sotto bandit` does, on the rows in a seed's order. Every role is a
// process, linked by plain TCP on loopback; masks are drawn from a seed, so that runs can be repeated.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "apps/kit/report/reward_curve.h"
#include "bench/lab/hannun_paper/twin.h"

namespace sotto::apps::lab {

struct HannunPrivateSettings {
  double epsilon = .1;
  std::uint64_t steps = 0;  // at most the rows of the order
  unsigned bits = 20;
  std::size_t parties = 2;
  std::size_t arms = 0;       // more than the world's: the others never pay; 0: the world's
  bool reveal_model = false;  // at the end
  bool deal_ahead = false;
};

struct HannunPrivateRun {
  HannunPrivateSettings settings{};
  Curve curve{};
  std::vector<double> weights{};  // arms x hannun_features, of a revealed model
  double step_us = 0;             // dealt ahead: the steps alone; otherwise all roles together
  double rounds = 0;              // a step
  std::string refused{};          // why sotto does not play it; all else is empty then

  // The average reward of the first steps, between the points of the curve by its line; 0 of a refused run.
  [[nodiscard]] double average_after(std::uint64_t steps) const;
};

// Errors as of launch_local_run(); Interrupted.
[[nodiscard]] HannunPrivateRun run_hannun_private(const HannunWorld& world, std::span<const std::size_t> order,
                                                  std::uint64_t seed, const HannunPrivateSettings& settings,
                                                  const std::atomic<bool>& interrupted);

}  // namespace sotto::apps::lab
