// `sotto-lab bench floor`: what the messages of a bandit step cost on this machine without any
// arithmetic, and what else the machine allows.
#pragma once

namespace CLI {
class App;
}

namespace sotto::apps {

// Adds the subcommand to `sotto-lab bench`.
void add_bench_floor(CLI::App& bench);

}  // namespace sotto::apps
