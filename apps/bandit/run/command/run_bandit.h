// A run with all roles on this machine, from options to results: what `sotto bandit` and `sotto evaluate` do.
#pragma once

#include <filesystem>

#include "apps/bandit/run/settings/options.h"

namespace sotto::apps::bandit::run {

// Runs it, or all of its repetitions, and publishes the result. Throws as the roles do, with the results of a run that
// failed written down.
void run_bandit(const BanditOptions& options);

// Goes on with the run whose state is in that folder of results.
void resume_bandit(const std::filesystem::path& folder, bool json);

}  // namespace sotto::apps::bandit::run
