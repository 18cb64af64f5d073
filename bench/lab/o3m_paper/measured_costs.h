// What a step costs in this implementation, measured on one thread: the bandit alone (the central twin's step), and the
// masking besides, all participants' and the sum together, as the paper's model counts it.
#pragma once

#include <atomic>

#include "sotto/bench/lab/o3m_paper/cost_model.h"

namespace sotto::apps {

struct MeasuredCost {
  CostSetting setting;
  LinearAlgorithm algorithm = LinearAlgorithm::ucb;
  double play_seconds = 0;  // a step: select and update
  double mask_seconds = 0;  // a step: of all participants
  double own_seconds = 0;   // a step: what of the masking is the active participant's
  [[nodiscard]] double relative() const { return (play_seconds + mask_seconds) / play_seconds; }
  [[nodiscard]] double relative_at_active() const { return (play_seconds + own_seconds) / play_seconds; }
};

// For each algorithm, about `seconds` of it. The least of several samples counts.
[[nodiscard]] MeasuredCost measure_cost(LinearAlgorithm algorithm, const CostSetting& setting, double seconds,
                                        const std::atomic<bool>& interrupted);

}  // namespace sotto::apps
