// `sotto-lab bench wan`: the bandit on emulated links, beside a model of its time, and plots of it.
#pragma once

namespace CLI {
class App;
}

namespace sotto::apps {

void add_bench_wan(CLI::App& bench);

}  // namespace sotto::apps
