// `sotto-lab bench o3m`: what the participants of O3M compute for a step, beside the central twin.
#pragma once

namespace CLI {
class App;
}

namespace sotto::apps {

// Adds the subcommand to `sotto-lab bench`.
void add_bench_o3m(CLI::App& bench);

}  // namespace sotto::apps
