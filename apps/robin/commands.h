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

void add_robin_aggregate_command(Command& robin);

void add_robin_aggregator_command(Command& robin);
void add_robin_client_command(Command& robin);

void add_robin_settings(Command& command, RobinSettings& settings);

// If --noise is not given, chooses the noise that the composition can account for. Call this function after the flags
// were read.
void choose_noise(const Command& command, RobinSettings& settings);

void add_robin_simulation(Command& command, RobinSettings& settings);

void add_robin_insecure_seed(Command& command, std::optional<std::uint64_t>& seed);
void add_robin_deadline(Command& command, double& seconds);

}  // namespace sotto::apps::robin
