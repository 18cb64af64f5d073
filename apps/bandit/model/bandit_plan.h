// What a run computes with: its parameters, and the widths that follow from them.
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
  unsigned inverse_bits;     // of the inverse matrices W, as they are kept
  unsigned reward_bits;      // of a reward; 0 for binary rewards
  unsigned comparison_bits;  // of the difference of two scores
  // One of the two.
  std::shared_ptr<const StepPlan> step;      // of single steps
  std::shared_ptr<const BatchPlan> batches;  // of a run in batches
  // Beside it, where a log is evaluated.
  std::shared_ptr<const EvaluationPlan> evaluation{};
};

// Throws InputError, saying which parameter to change, where a value of the run could leave its range.
[[nodiscard]] BanditPlan plan_bandit(BanditParameters parameters);

// Exact rounds and bytes of the run, from where its schedule starts, by the program run on shapes alone.
[[nodiscard]] Ledger plan_costs(const BanditPlan& plan, BanditSchedule schedule = {});

// Of a run in batches: two batches of the most events, each decided and learned at once, from where its schedule
// starts. The rounds of a pass in it are those of one such batch.
[[nodiscard]] Ledger plan_full_batches(const BanditPlan& plan, BanditSchedule schedule = {});

// The most bytes that the dealer sends in one chunk of that run, header included; no less, where a run in batches never
// comes to one of the most events. The work does not grow with the steps.
[[nodiscard]] std::uint64_t largest_chunk(BanditPlan plan, BanditSchedule schedule);

}  // namespace sotto::apps::bandit
