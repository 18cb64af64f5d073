// A run of the private bandit as one machine sees it that has all the files: a local simulation. Reads and checks the
// inputs, makes the roles' common configuration, and puts the roles' reports together.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sotto/apps/bandit/log/event_log.h"
#include "sotto/apps/bandit/options.h"
#include "sotto/apps/bandit/parameters.h"
#include "sotto/apps/bandit/private_bandit.h"
#include "sotto/apps/bandit/result.h"
#include "sotto/apps/bandit/role/earlier_model.h"
#include "sotto/apps/bandit/role_report.h"
#include "sotto/apps/bandit/settings.h"
#include "sotto/apps/kit/data/contexts.h"
#include "sotto/apps/kit/data/environment.h"
#include "sotto/core/party/ledger.h"

namespace sotto::apps {

struct LocalInputs {
  std::vector<Block> blocks;            // of each that brings features
  Environment environment;              // of a log, one of as many arms
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
[[nodiscard]] BanditPlan local_plan(const BanditSettings& run, const LocalInputs& inputs);

// Exact rounds and bytes of the run, from where its schedule starts, by the program run on shapes alone.
[[nodiscard]] Ledger plan_costs(const BanditPlan& plan, BanditSchedule schedule = {});

// Of a run in batches: two batches of the most events, each decided and learned at once, from where its schedule
// starts. The rounds of a pass in it are those of one such batch.
[[nodiscard]] Ledger plan_full_batches(const BanditPlan& plan, BanditSchedule schedule = {});

// The most bytes that the dealer sends in one chunk of that run, header included; no less, where a run in batches never
// comes to one of the most events. The work does not grow with the steps.
[[nodiscard]] std::uint64_t largest_chunk(BanditPlan plan, BanditSchedule schedule);

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

}  // namespace sotto::apps
