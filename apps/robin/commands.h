// `sotto robin`: federated linear contextual bandits with user-level differential privacy (Huang et al. 2023), and its
// subcommands.
#pragma once

namespace sotto::apps {

class Command;

void add_robin_command(Command& app);

// `sotto robin aggregate`: the private mean of a file of estimates, the block of ROBIN by itself.
void add_robin_aggregate_command(Command& robin);

// The roles of a run, each a process of its own (docs/robin-roles.md): `sotto robin aggregator`, which all clients
// trust, and `sotto robin client`.
void add_robin_aggregator_command(Command& robin);
void add_robin_client_command(Command& robin);

}  // namespace sotto::apps
