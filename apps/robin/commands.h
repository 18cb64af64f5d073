// `sotto robin`: federated linear contextual bandits with user-level differential privacy (Huang et al. 2023), and its
// subcommands.
#pragma once

#include <cstdint>
#include <optional>

namespace sotto::apps {
class Command;
}  // namespace sotto::apps

namespace sotto::apps::robin {

struct RobinSettings;

void add_robin_command(Command& app);

// `sotto robin aggregate`: the private mean of a file of estimates, the block of ROBIN by itself.
void add_robin_aggregate_command(Command& robin);

// The roles of a run, each a process of its own (docs/robin-roles.md): `sotto robin aggregator`, which all clients
// trust, and `sotto robin client`.
void add_robin_aggregator_command(Command& robin);
void add_robin_client_command(Command& robin);

// Flags that `sotto robin` and its aggregator have alike.

// Declares --clients, --dim, --arms, --horizon, --eps, --delta and all others that make the settings, on `sotto robin`
// and on its aggregator.
void add_robin_settings(Command& command, RobinSettings& settings);

// Where --noise is not given, the noise that the composition can account for. Called once the flags of `command` are
// read.
void choose_noise(const Command& command, RobinSettings& settings);

// Those of a simulated instance: --margin, --diversity, --seed.
void add_robin_simulation(Command& command, RobinSettings& settings);

// --insecure-seed, --deadline.
void add_robin_insecure_seed(Command& command, std::optional<std::uint64_t>& seed);
void add_robin_deadline(Command& command, double& seconds);

}  // namespace sotto::apps::robin
