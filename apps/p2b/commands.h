// `sotto p2b`: bandits whose users share at most one encoded interaction each, in a crowd (P2B, Malekzadeh et al.
// 2020), and its subcommands.
#pragma once

namespace sotto::apps {

class Command;
struct P2bTerms;

void add_p2b_command(Command& app);

// The blocks, each by itself on files.
void add_p2b_encoder_command(Command& p2b);
void add_p2b_encode_command(Command& p2b);
void add_p2b_shuffle_command(Command& p2b);
void add_p2b_fit_command(Command& p2b);
void add_p2b_epsilon_command(Command& p2b);

// The roles, each a process of its own (docs/p2b-roles.md).
void add_p2b_shuffler_command(Command& p2b);
void add_p2b_server_command(Command& p2b);
void add_p2b_agent_command(Command& p2b);

// What roles agree on: --codes, --arms, --p, --threshold.
void add_p2b_terms_options(Command& command, P2bTerms& terms);

}  // namespace sotto::apps
