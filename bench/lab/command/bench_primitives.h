// `sotto-lab bench primitives`: what each primitive costs.
#pragma once

namespace CLI {
class App;
}

namespace sotto::apps {

void add_bench_primitives(CLI::App& bench);

}  // namespace sotto::apps
