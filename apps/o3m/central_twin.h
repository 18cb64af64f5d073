// The central twin of an O3M run: the same bandit (apps/o3m/player.h) on the plain contexts of all participants
// together, with the same ties and noise, to which the run must be equal but for rounding. For whoever has all files.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "sotto/apps/o3m/files.h"
#include "sotto/apps/o3m/plan.h"
#include "sotto/apps/o3m/player.h"

namespace sotto::apps {

// What bandit a run plays: at the active participant on masked contexts, and at the twin.
[[nodiscard]] LinearBanditOptions bandit_options(const O3mParameters& parameters, std::uint64_t stream_seed);

// Plays the first parameters.steps steps.
[[nodiscard]] O3mPlay play_central(const O3mInputs& inputs, const O3mParameters& parameters, std::uint64_t stream_seed);

struct CentralComparison {
  bool arms_equal = true;
  std::optional<std::uint64_t> first_difference;  // the first step (from 0) with another arm
  double max_score_difference = 0;                // over all steps and arms
  double seconds_per_step = 0;                    // of the twin
  double average_reward = 0;                      // of the twin
};

// Beside the arms ([step]) and scores ([step][arm]) of an O3M run. Other numbers of them than the twin's:
// std::invalid_argument.
[[nodiscard]] CentralComparison compare_with(const O3mPlay& twin, std::span<const std::uint32_t> arms,
                                             std::span<const double> scores);

}  // namespace sotto::apps
