// `sotto p2b`: bandits whose users share at most one encoded interaction each, in a crowd (P2B, Malekzadeh et
// al. 2020). Every subcommand is a file of this folder.
#pragma once

namespace CLI {
class App;
}

namespace sotto::apps {

void add_p2b_command(CLI::App& app);

}  // namespace sotto::apps
