// The result of a run of the private bandit as one machine sees it that has all the files: the roles' reports, put
// together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "apps/bandit/model/bandit_plan.h"
#include "apps/bandit/run/log/event_log.h"
#include "apps/bandit/run/result/result.h"
#include "apps/bandit/run/result/role_report.h"
#include "apps/bandit/run/role/earlier_model.h"
#include "apps/bandit/run/settings/options.h"
#include "apps/bandit/run/settings/settings.h"
#include "apps/prepare/data/contexts.h"
#include "apps/prepare/data/environment.h"

namespace sotto::apps::bandit::run {

// The inputs of a run on one machine that has all the files, and the run that they make.

struct LocalInputs {
  std::vector<prepare::Block> blocks;   // of each that brings features
  prepare::Environment environment;     // of a log, one of as many arms
  std::optional<EventLog> log{};        // its rows in the parties' order
  std::vector<std::string> warnings{};  // of the files, a line each
  std::optional<ModelName> from{};      // the model that the run begins from
};

// Reads and checks all files: equal row counts, norms of the joint rows within --max-norm, arms. `apart` as roles do
// that see only their own rows: then the bounds that they announce must keep to --max-norm as well, unless
// options.joint_norm_holds. Throws InputError.
[[nodiscard]] LocalInputs read_local_inputs(const BanditOptions& options, bool apart = false);

// Where the run in that folder of results keeps the config of party `id`.
[[nodiscard]] std::filesystem::path party_state(const std::filesystem::path& results, std::size_t id);

// The run that all roles agree on; `repetition` gives each of --repeat runs its own session and seeds.
[[nodiscard]] BanditSettings local_run_config(const BanditOptions& options, const LocalInputs& inputs,
                                              std::uint64_t repetition);

// The widths and scales of that run. Throws InputError where the arguments leave the ranges.
// What its holders announce.
[[nodiscard]] std::vector<CountPrivacy> local_privacy(const BanditSettings& run);
[[nodiscard]] BanditPlan local_plan(const BanditSettings& run, const LocalInputs& inputs);

// The result of one run: the reports of all roles, the wall time of the whole, and the plain-text twin, run here.
[[nodiscard]] BanditResult assemble_result(const BanditOptions& options, const LocalInputs& inputs,
                                           const BanditSettings& run, const std::vector<RoleReport>& reports,
                                           double loop_seconds);

// What the steps took, without the time that the last party waited for the dealer, beside what a model of the links
// makes of the roles' own times. A dealer who is late also changes how the parties wait for each other: for this he had
// better deal ahead.
[[nodiscard]] LinkModel compare_with_model(const BanditSettings& run, const BanditPlan& plan,
                                           const std::vector<RoleReport>& reports);

// The result of a run that ended in an error: everything that is known, status failed, and the error's one line.
[[nodiscard]] BanditResult failed_result(const BanditOptions& options, const LocalInputs& inputs,
                                         const BanditSettings& run, const std::string& error);

// What a machine that has all files puts beside a run: the same in plain text, whole or in parts, and what is possible.

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
