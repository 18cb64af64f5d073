// `sotto robin`: federated linear contextual bandits with user-level differential privacy (Huang et
// al. 2023). Its subcommands are files of their own: robin_<name>_command.h.
#pragma once

namespace CLI {
class App;
}

namespace sotto::apps {

void add_robin_command(CLI::App& app);

}  // namespace sotto::apps
