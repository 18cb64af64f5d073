// `sotto-lab bench p2b`: how many reports P2B's shuffler takes on loopback.
#pragma once

namespace CLI {
class App;
}

namespace sotto::apps {

// Adds the subcommand to `sotto-lab bench`.
void add_bench_p2b(CLI::App& bench);

}  // namespace sotto::apps
