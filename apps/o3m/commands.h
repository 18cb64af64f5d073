// The subcommands of O3M: vertical federated LinUCB and LinTS (Cao et al. 2022).
#pragma once

namespace sotto::apps {
class Command;
class Keys;
}  // namespace sotto::apps

namespace sotto::apps::o3m {

struct O3mFiles;

// Adds `sotto o3m`, which runs all roles on one machine, each in its own process, and the subcommand `sotto o3m role`.
// `keys` has the config keys of all programs whose roles have configs, and must outlive the command line.
void add_o3m_command(Command& app, const Keys& keys);

// Adds --ap, --passive, --arms-file and --combine to a subcommand.
void add_o3m_file_options(Command& command, O3mFiles& files);

// Adds `sotto o3m role`, which runs one role from its config.
void add_o3m_role_command(Command& o3m, const Keys& keys);

// Adds `sotto prepare o3m`, which generates feature files for several participants.
void add_prepare_o3m_command(Command& prepare);

}  // namespace sotto::apps::o3m
