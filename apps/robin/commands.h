// `sotto robin` and its subcommands: federated linear contextual bandits with user-level differential privacy (Huang et
// al. 2023).
#pragma once

#include <cstdint>
#include <optional>

namespace sotto::apps {
class Command;
}  // namespace sotto::apps

namespace sotto::apps::robin {

struct RobinSettings;

void add_robin_command(Command& app);

// `sotto robin aggregate`: computes only the private mean of ROBIN, from a file of estimates.
void add_robin_aggregate_command(Command& robin);

// The two roles of a run, each a process of its own (docs/robin-roles.md): `sotto robin aggregator`, which all clients
// trust, and `sotto robin client`.
void add_robin_aggregator_command(Command& robin);
void add_robin_client_command(Command& robin);

// The flags that `sotto robin` and its aggregator share.

// Declares --clients, --dim, --arms, --horizon, --eps, --delta and all other flags of the settings, on `sotto robin`
// and on its aggregator.
void add_robin_settings(Command& command, RobinSettings& settings);

// If --noise is not given, chooses the noise that the composition can account for. Call choose_noise() after the flags
// of `command` have been read.
void choose_noise(const Command& command, RobinSettings& settings);

// Declares the flags of a simulated instance: --margin, --diversity, --seed.
void add_robin_simulation(Command& command, RobinSettings& settings);

// Declare --insecure-seed and --deadline.
void add_robin_insecure_seed(Command& command, std::optional<std::uint64_t>& seed);
void add_robin_deadline(Command& command, double& seconds);

}  // namespace sotto::apps::robin
