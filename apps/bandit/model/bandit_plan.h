// The parameters of a run, and the numbers of fraction bits that follow from these parameters.
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

struct BanditPlan {
  BanditParameters parameters;
  unsigned context_bits;     // of the features
  unsigned inverse_bits;     // of W, an approximate inverse (parameters.h)
  unsigned reward_bits;      // of the rewards
  unsigned comparison_bits;  // number of bits of each compared score difference
  // `step` is set for single steps, `batches` for a run in batches; the other one is null.
  std::shared_ptr<const StepPlan> step;
  std::shared_ptr<const BatchPlan> batches;
  // Null unless a log is evaluated.
  std::shared_ptr<const EvaluationPlan> evaluation{};
};

// Throws InputError if a value of the run could leave its range.
[[nodiscard]] BanditPlan plan_bandit(BanditParameters parameters);

// The exact rounds and bytes of the run from the start of its schedule.
[[nodiscard]] Ledger plan_costs(const BanditPlan& plan, BanditSchedule schedule = {});

// The costs of a run of two batches of the largest size.
[[nodiscard]] Ledger plan_full_batches(const BanditPlan& plan, BanditSchedule schedule = {});

// The size in bytes, header included, of the largest chunk that the dealer sends.
[[nodiscard]] std::uint64_t largest_chunk(BanditPlan plan, BanditSchedule schedule);

}  // namespace sotto::apps::bandit
