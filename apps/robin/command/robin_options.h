// The flags of a ROBIN run: what is played, under which privacy, and where results go.
#pragma once

#include "sotto/apps/robin/local.h"

namespace sotto::apps {

class Command;

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

// All of `sotto robin`: the ones above, --client, --no-twins, --insecure-plaintext, --out, --json.
void add_robin_options(Command& command, RobinOptions& options);

}  // namespace sotto::apps
