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

void add_demo_command(Command& app);

void add_plan_command(Command& app);

// `sotto bandit --resume` accepts a run that is already complete.
void add_bandit_command(Command& app);

void add_evaluate_command(Command& app);

// `keys` must outlive the command line.
void add_role_commands(Command& app, const Keys& keys);

void add_prepare_randomness_command(Command& app, const Keys& keys);

void add_bandit_options(Command& command, BanditOptions& options);

// Declares the options of `sotto evaluate` that do not say where its results go.
void add_evaluation_options(Command& command, BanditOptions& options);
void add_log_options(Command& command, BanditOptions& options);

// If the run fails, writes the result of the failed run and then throws the same errors as the roles.
void run_bandit(const BanditOptions& options);

void resume_bandit(const std::filesystem::path& folder, bool json);

}  // namespace sotto::apps::bandit::run
