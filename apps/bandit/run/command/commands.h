// The subcommands of the private bandit.
#pragma once

#include <filesystem>

#include "apps/bandit/run/settings/options.h"

namespace sotto::apps {
class Command;
class Keys;
}  // namespace sotto::apps

namespace sotto::apps {
class Command;
}  // namespace sotto::apps

namespace sotto::apps::bandit::run {

// `sotto demo`: `sotto bandit` on the digits that come with sotto, split between two or three parties.
void add_demo_command(Command& app);

// `sotto plan`: exact rounds and bytes of a run, before anything runs.
void add_plan_command(Command& app);

// `sotto bandit`: all roles on one machine, each a process. With --checkpoint-every the roles keep their state in
// DIR/state, and --resume DIR continues from that state. Resuming a complete run is not an error.
void add_bandit_command(Command& app);

// `sotto evaluate`: all roles on one machine, as in `sotto bandit`. `sotto evaluate` estimates the rewards that the
// joint model would have earned on a log.
void add_evaluate_command(Command& app);

// `sotto party`, `owner`, `dealer`, `actor`, `rewarder`: one role, from its config. `keys` are the keys of all programs
// whose roles have configs. `keys` must stay valid as long as the command line is in use.
void add_role_commands(Command& app, const Keys& keys);

// `sotto prepare-randomness`: makes a role's randomness ahead of its run, from the same config.
void add_prepare_randomness_command(Command& app, const Keys& keys);

// The command-line arguments that `sotto bandit` and `sotto plan` share.

// Declares the options on a subcommand; they are filled when the command line is parsed.
void add_bandit_options(Command& command, BanditOptions& options);

// Declares the options of `sotto evaluate` that do not say where its results go.
void add_evaluation_options(Command& command, BanditOptions& options);

// Declares the options --reward-scale (for a log) and --from (for an earlier model).
void add_log_options(Command& command, BanditOptions& options);

// A run with all roles on this machine, from options to results: the work of `sotto bandit` and `sotto evaluate`.

// Runs the bandit, with all its repetitions, and publishes the result. Throws as the roles do, after it has published
// the results of the failed run.
void run_bandit(const BanditOptions& options);

// Resumes the run whose state is in `folder`, a folder of results.
void resume_bandit(const std::filesystem::path& folder, bool json);

}  // namespace sotto::apps::bandit::run
