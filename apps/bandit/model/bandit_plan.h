// What a run computes with: its parameters, and the widths that follow from them.
#pragma once

#include <memory>

#include "apps/bandit/model/parameters.h"

namespace sotto::apps::bandit {

struct BatchPlan;
struct EvaluationPlan;
struct StepPlan;

// The widths of a run, all from public bounds.
struct BanditPlan {
  BanditParameters parameters;
  unsigned context_bits;     // fraction bits of features
  unsigned inverse_bits;     // of the inverse matrices W, as they are kept
  unsigned reward_bits;      // of a reward; 0 for binary rewards
  unsigned comparison_bits;  // of the difference of two scores
  // One of the two.
  std::shared_ptr<const StepPlan> step;      // of single steps
  std::shared_ptr<const BatchPlan> batches;  // of a run in batches
  // Beside it, where a log is evaluated.
  std::shared_ptr<const EvaluationPlan> evaluation{};
};

}  // namespace sotto::apps::bandit
