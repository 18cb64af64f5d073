// The subcommands of O3M: vertical federated LinUCB and LinTS (Cao et al. 2022).
#pragma once

namespace sotto::apps {
class Command;
class Keys;
}  // namespace sotto::apps

namespace sotto::apps::o3m {

struct O3mFiles;

// `sotto o3m`: all roles on one machine, each a process; and `sotto o3m role`. `keys` are those of all programs whose
// roles have configs, and live as long as the command line.
void add_o3m_command(Command& app, const Keys& keys);

// --ap, --passive, --arms-file, --combine, on a subcommand.
void add_o3m_file_options(Command& command, O3mFiles& files);

// `sotto o3m role`: one role, from its config.
void add_o3m_role_command(Command& o3m, const Keys& keys);

// `sotto prepare o3m`: generated features of several participants.
void add_prepare_o3m_command(Command& prepare);

}  // namespace sotto::apps::o3m
