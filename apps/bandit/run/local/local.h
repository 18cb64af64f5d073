// The result of a run of the private bandit on one machine that has all the files. The result combines the reports of
// all roles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "apps/bandit/model/bandit_plan.h"
#include "apps/bandit/model/twin/plain_plays.h"
#include "apps/bandit/run/log/event_log.h"
#include "apps/bandit/run/result/result.h"
#include "apps/bandit/run/result/role_report.h"
#include "apps/bandit/run/role/earlier_model.h"
#include "apps/bandit/run/settings/options.h"
#include "apps/bandit/run/settings/settings.h"
#include "apps/prepare/data/contexts.h"
#include "apps/prepare/data/environment.h"

namespace sotto::apps::bandit::run {

// The inputs of a run on one machine that has all the files, and the run that follows from these inputs.

struct LocalInputs {
  std::vector<prepare::Block> blocks;   // one per holder of features
  prepare::Environment environment;     // for a log: an environment that knows only the number of arms
  std::optional<EventLog> log{};        // rows in the parties' order
  std::vector<std::string> warnings{};  // about the files, one line each
  std::optional<ModelName> from{};      // the model that the run begins from
};

// Reads all files. Checks that they have equal numbers of rows, that norms of joint rows are at most --max-norm, and
// the arms. With `apart`, also makes a check that roles would make if each had only its own rows. In this check, the
// bounds that roles announce must not exceed --max-norm together, unless options.joint_norm_holds is set. Throws
// InputError.
[[nodiscard]] LocalInputs read_local_inputs(const BanditOptions& options, bool apart = false);

// The path of the config of party `id`, in the run whose folder of results is `results`.
[[nodiscard]] std::filesystem::path party_state(const std::filesystem::path& results, std::size_t id);

// The run that all roles agree on; `repetition` gives each of --repeat runs its own session and seeds.
[[nodiscard]] BanditSettings local_run_config(const BanditOptions& options, const LocalInputs& inputs,
                                              std::uint64_t repetition);

// local_privacy: what the holders of features announce for `run`. local_plan: the widths and scales of `run`; throws
// InputError if the arguments leave the ranges.
[[nodiscard]] std::vector<CountPrivacy> local_privacy(const BanditSettings& run);
[[nodiscard]] BanditPlan local_plan(const BanditSettings& run, const LocalInputs& inputs);

// Before anything runs, refuses a log that the actor would otherwise refuse only when it runs. Does nothing for other
// tasks than an evaluation. Throws InputError.
void check_evaluation(const BanditSettings& run, const LocalInputs& inputs);

// The result of one run: the reports of all roles, the wall time of the whole run, and plays in plain text, which are
// played here.
[[nodiscard]] BanditResult assemble_result(const BanditOptions& options, const LocalInputs& inputs,
                                           const BanditSettings& run, const std::vector<RoleReport>& reports,
                                           double loop_seconds);

// Compares the time that the steps took with a model of the links that uses the roles' own times. The compared time
// leaves out the wait of the last party for the dealer. A late dealer also changes how the parties wait for each other,
// so the dealer should deal ahead for this comparison.
[[nodiscard]] LinkModel compare_with_model(const BanditSettings& run, const BanditPlan& plan,
                                           const std::vector<RoleReport>& reports);

// The result of a run that ended in an error: everything that is known, status failed, and the error's one line.
[[nodiscard]] BanditResult failed_result(const BanditOptions& options, const LocalInputs& inputs,
                                         const BanditSettings& run, const std::string& error);

// Comparisons that only a machine with all files can add to a run: the run in plain text, with all features or by
// party, and the possible rewards.

// Adds plays in plain text. They are in the order of the run, from a fresh model and with random coins of their own.
// The twin plays on all features together; with options.compare_parts there are also plays on each single company's
// features. Companies have the names of the run's holders.
void add_plain_plays(BanditResult& result, const LocalInputs& inputs, const BanditSettings& run,
                     const BanditOptions& options);
// The same for rows and rewards that do not come from files. The last policy is the twin. With an insecure seed the
// number of plays does not depend on time, so that each run has the same result.
void add_plain_plays(BanditResult& result, const PlainWorld& world, const std::vector<PlainPolicy>& policies,
                     PlayTimes times, const std::optional<std::uint64_t>& insecure_seed);
// The policy of all companies together. If `each_company` is set and there are several companies, one policy for each
// company comes before it.
[[nodiscard]] std::vector<PlainPolicy> policies_of(const std::vector<std::string>& names,
                                                   const std::vector<std::size_t>& columns, bool each_company);

// The result of a log's evaluation on open data. Does nothing if the model is of an earlier run, because that model is
// not open.
void add_plaintext_evaluation(BanditResult& result, const LocalInputs& inputs, const BanditSettings& run);

// The differences from a twin that follows the private run's own arms.
void add_comparison(BanditResult& result, const LocalInputs& inputs, const BanditSettings& run,
                    const RoleReport& rewarder);

// The average rewards of uniform play, of the best arm of every row, and of the arm `baseline` in every step.
void add_baselines(BanditResult& result, const LocalInputs& inputs, std::uint64_t steps,
                   const std::optional<std::size_t>& baseline);

}  // namespace sotto::apps::bandit::run
