// The parameters of a run, and the widths that follow from them.
#pragma once

#include <cstdint>
#include <memory>

#include "apps/bandit/model/parameters.h"
#include "apps/bandit/model/sites.h"
#include "sotto/protocol/party/ledger.h"

namespace sotto::apps::bandit {

struct BatchPlan;
struct EvaluationPlan;
struct StepPlan;

// The widths of a run, all from public bounds.
struct BanditPlan {
  BanditParameters parameters;
  unsigned context_bits;     // fraction bits of features
  unsigned inverse_bits;     // fraction bits of the stored inverse matrices W
  unsigned reward_bits;      // fraction bits of a reward; 0 for binary rewards
  unsigned comparison_bits;  // bits of the difference of two scores
  // Exactly one of `step` and `batches` is set.
  std::shared_ptr<const StepPlan> step;      // set for single steps
  std::shared_ptr<const BatchPlan> batches;  // set for a run in batches
  // The plan for the evaluation of a log, in addition to `batches`; null in other runs.
  std::shared_ptr<const EvaluationPlan> evaluation{};
};

// Throws InputError if a value of the run could leave its range. The error says which parameter to change.
[[nodiscard]] BanditPlan plan_bandit(BanditParameters parameters);

// The exact rounds and bytes of the run from the start of its schedule. To find these numbers, the program is run on
// shapes only, without values.
[[nodiscard]] Ledger plan_costs(const BanditPlan& plan, BanditSchedule schedule = {});

// The costs of two batches of the largest size in a run in batches, from the start of its schedule. Each batch is
// learned as soon as it was decided. One pass through a phase of this ledger has the rounds of one batch of the largest
// size.
[[nodiscard]] Ledger plan_full_batches(const BanditPlan& plan, BanditSchedule schedule = {});

// The most bytes, header included, that the dealer sends in one chunk of the run. For a run in batches, the result is
// that of a batch of the largest size, even if the run never reaches that size. The work of this call does not grow
// with the number of steps.
[[nodiscard]] std::uint64_t largest_chunk(BanditPlan plan, BanditSchedule schedule);

}  // namespace sotto::apps::bandit
