// `sotto p2b` and its subcommands: bandits whose users each share at most one encoded interaction, hidden in a crowd
// (P2B, Malekzadeh et al. 2020).
#pragma once

namespace sotto::apps {
class Command;
}  // namespace sotto::apps

namespace sotto::apps::p2b {

void add_p2b_command(Command& app);

void add_p2b_encoder_command(Command& p2b);
void add_p2b_encode_command(Command& p2b);
void add_p2b_shuffle_command(Command& p2b);
void add_p2b_fit_command(Command& p2b);
void add_p2b_epsilon_command(Command& p2b);

}  // namespace sotto::apps::p2b
