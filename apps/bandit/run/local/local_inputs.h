// The inputs of a run on one machine that has all the files, and the run that they make.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "apps/bandit/model/bandit_plan.h"
#include "apps/bandit/run/log/event_log.h"
#include "apps/bandit/run/role/earlier_model.h"
#include "apps/bandit/run/settings/options.h"
#include "apps/bandit/run/settings/settings.h"
#include "apps/prepare/data/contexts.h"
#include "apps/prepare/data/environment.h"

namespace sotto::apps::bandit::run {

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
[[nodiscard]] BanditPlan local_plan(const BanditSettings& run, const LocalInputs& inputs);

}  // namespace sotto::apps::bandit::run
