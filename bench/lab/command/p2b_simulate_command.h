// `sotto-lab simulate`: the experiments of Malekzadeh et al. 2020 (bench/lab/p2b/simulate.h), on the
// synthetic world, multi-label data, the Criteo log, and users of a file.
#pragma once

namespace CLI {
class App;
}

namespace sotto::apps {

void add_p2b_simulate_command(CLI::App& app);

}  // namespace sotto::apps
