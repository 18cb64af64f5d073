// `sotto-lab bench bandit`: what a step of the private bandit costs, beside its floor.
#pragma once

namespace CLI {
class App;
}

namespace sotto::apps {

// Adds the subcommand to `sotto-lab bench`.
void add_bench_bandit(CLI::App& bench);

}  // namespace sotto::apps
