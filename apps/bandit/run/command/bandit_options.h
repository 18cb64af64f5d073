// The arguments of `sotto bandit` and `sotto plan`, which take the same, on the command line.
#pragma once

#include "apps/bandit/run/settings/options.h"

namespace sotto::apps {
class Command;
}  // namespace sotto::apps

namespace sotto::apps::bandit::run {

// Declares the options on a subcommand; they are filled when the command line is parsed.
void add_bandit_options(Command& command, BanditOptions& options);

// --reward-scale of a log, and --from an earlier model.
void add_log_options(Command& command, BanditOptions& options);

}  // namespace sotto::apps::bandit::run
