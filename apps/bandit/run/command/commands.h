// The subcommands of the private bandit.
#pragma once

namespace sotto::apps {
class Command;
class Keys;
}  // namespace sotto::apps

namespace sotto::apps::bandit::run {

// `sotto plan`: exact rounds and bytes of a run, before anything runs.
void add_plan_command(Command& app);

// `sotto bandit`: all roles on one machine, each a process. With --checkpoint-every the roles keep their state in
// DIR/state, and --resume DIR goes on from there; resuming a run that is complete is no error.
void add_bandit_command(Command& app);

// `sotto evaluate`: likewise, what the joint model would have earned on a log.
void add_evaluate_command(Command& app);

// `sotto party`, `owner`, `dealer`, `actor`, `rewarder`: one role, from its config. `keys` are those of all programs
// whose roles have configs, and live as long as the command line.
void add_role_commands(Command& app, const Keys& keys);

// `sotto prepare-randomness`: makes a role's randomness ahead of its run, from the same config.
void add_prepare_randomness_command(Command& app, const Keys& keys);

}  // namespace sotto::apps::bandit::run
