// `sotto p2b`: bandits whose users share at most one encoded interaction each, in a crowd (P2B, Malekzadeh et al.
// 2020), and its subcommands.
#pragma once

namespace CLI {
class App;
}

namespace sotto::apps {

void add_p2b_command(CLI::App& app);

// The blocks, each by itself on files.
void add_p2b_encoder_command(CLI::App& p2b);
void add_p2b_encode_command(CLI::App& p2b);
void add_p2b_shuffle_command(CLI::App& p2b);
void add_p2b_fit_command(CLI::App& p2b);
void add_p2b_epsilon_command(CLI::App& p2b);

// The roles, each a process of its own (docs/p2b-roles.md).
void add_p2b_shuffler_command(CLI::App& p2b);
void add_p2b_server_command(CLI::App& p2b);
void add_p2b_agent_command(CLI::App& p2b);

}  // namespace sotto::apps
