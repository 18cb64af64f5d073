// What a machine that has all files puts beside a run: the same in plain text, whole or in parts, and what is possible.
#pragma once

#include <cstdint>

#include "apps/bandit/run/local/local_inputs.h"
#include "apps/bandit/run/result/result.h"
#include "apps/bandit/run/result/role_report.h"

namespace sotto::apps::bandit::run {

// The plain-text twin of a run that plays from a fresh model, with coins of its own.
void add_twin(BanditResult& result, const LocalInputs& inputs, const BanditSettings& run);

// Each party's features by themselves, and all together, in the order of the run.
void add_parts(BanditResult& result, const LocalInputs& inputs, const BanditSettings& run);

// What a log's evaluation comes to on open data. Nothing where the model is of an earlier run, which is not open.
void add_plaintext_evaluation(BanditResult& result, const LocalInputs& inputs, const BanditSettings& run);

// How a twin that follows the private run's own arms differs from it.
void add_comparison(BanditResult& result, const LocalInputs& inputs, const BanditSettings& run,
                    const RoleReport& rewarder);

// What uniform play and the best arm of every row earn on average.
void add_baselines(BanditResult& result, const LocalInputs& inputs, std::uint64_t steps);

}  // namespace sotto::apps::bandit::run
