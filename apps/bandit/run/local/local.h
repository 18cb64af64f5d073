// Computes the result of a run on one machine, which has all files and the reports of all roles.
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

struct LocalInputs {
  std::vector<prepare::Block> blocks;
  prepare::Environment environment;
  std::optional<EventLog> log{};  // the log, with its rows in the order of the parties' rows
  std::vector<std::string> warnings{};
  std::optional<ModelName> from{};
  // For each row, whether the log's arm was the best of the model that played: the XOR of all parties' shares.
  std::optional<std::vector<bool>> best{};
};

// Throws InputError if the files have different numbers of rows, if an arm is out of range, or if the joint norm of a
// row is above --max-norm. If `apart` is true and options.joint_norm_holds is not set, the joint bound of the announced
// bounds must also be at most --max-norm.
[[nodiscard]] LocalInputs read_local_inputs(const BanditOptions& options, bool apart = false);

[[nodiscard]] std::filesystem::path party_state(const std::filesystem::path& results, std::size_t id);

// With --repeat, each `repetition` has its own session and seeds.
[[nodiscard]] BanditSettings local_run_config(const BanditOptions& options, const LocalInputs& inputs,
                                              std::uint64_t repetition);

[[nodiscard]] std::vector<CountPrivacy> local_privacy(const BanditSettings& run);
[[nodiscard]] BanditPlan local_plan(const BanditSettings& run, const LocalInputs& inputs);

// Before anything runs, refuses a log that the actor would otherwise refuse only when it runs. Does nothing for other
// tasks than an evaluation. Throws InputError.
void check_evaluation(const BanditSettings& run, const LocalInputs& inputs);
[[nodiscard]] BanditResult assemble_result(const BanditOptions& options, const LocalInputs& inputs,
                                           const BanditSettings& run, const std::vector<RoleReport>& reports,
                                           double loop_seconds);

// Compares the measured time of a step with the link model. The measured time does not include the wait of the last
// party for the dealer.
[[nodiscard]] LinkModel compare_with_model(const BanditSettings& run, const BanditPlan& plan,
                                           const std::vector<RoleReport>& reports);

[[nodiscard]] BanditResult failed_result(const BanditOptions& options, const LocalInputs& inputs,
                                         const BanditSettings& run, const std::string& error);

// The twin plays on the features of all companies together. With options.compare_parts, one more policy per company
// plays on the features of this company alone.
void add_plain_plays(BanditResult& result, const LocalInputs& inputs, const BanditSettings& run,
                     const BanditOptions& options);
// With an insecure seed, the number of plays does not depend on time.
void add_plain_plays(BanditResult& result, const PlainWorld& world, const std::vector<PlainPolicy>& policies,
                     PlayTimes times, const std::optional<std::uint64_t>& insecure_seed);
[[nodiscard]] std::vector<PlainPolicy> policies_of(const std::vector<std::string>& names,
                                                   const std::vector<std::size_t>& columns, bool each_company);

// Does nothing if the run begins from an earlier model, because nobody opens that model.
void add_plaintext_evaluation(BanditResult& result, const LocalInputs& inputs, const BanditSettings& run);

void add_comparison(BanditResult& result, const LocalInputs& inputs, const BanditSettings& run,
                    const RoleReport& rewarder);

void add_baselines(BanditResult& result, const LocalInputs& inputs, std::uint64_t steps,
                   const std::optional<std::size_t>& baseline);

}  // namespace sotto::apps::bandit::run
