// `sotto robin`: federated linear contextual bandits with user-level differential privacy (Huang et al. 2023), and
// its subcommands.
#pragma once

namespace CLI {
class App;
}

namespace sotto::apps {

void add_robin_command(CLI::App& app);

// `sotto robin aggregate`: the private mean of a file of estimates, the block of ROBIN by itself.
void add_robin_aggregate_command(CLI::App& robin);

// The roles of a run, each a process of its own (docs/robin-roles.md): `sotto robin aggregator`, which all clients
// trust, and `sotto robin client`.
void add_robin_aggregator_command(CLI::App& robin);
void add_robin_client_command(CLI::App& robin);

}  // namespace sotto::apps
