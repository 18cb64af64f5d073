// `sotto-lab bench floor|bandit|...`: the laboratory. Every measurement is a subcommand in a file of
// its own, bench_*.cc; this one names them.
#pragma once

namespace CLI {
class App;
}

namespace sotto::apps {

void add_bench_command(CLI::App& app);

}  // namespace sotto::apps
