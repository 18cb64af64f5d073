// The subcommands of O3M: vertical federated LinUCB and LinTS (Cao et al. 2022).
#pragma once

namespace sotto::apps {
class Command;
class Keys;
}  // namespace sotto::apps

namespace sotto::apps::o3m {

struct O3mFiles;

// `keys` must outlive the command line.
void add_o3m_command(Command& app, const Keys& keys);

void add_o3m_file_options(Command& command, O3mFiles& files);

void add_o3m_role_command(Command& o3m, const Keys& keys);

void add_prepare_o3m_command(Command& prepare);

}  // namespace sotto::apps::o3m
