// `sotto p2b simulate`: the experiments of Malekzadeh et al. 2020 (apps/p2b/experiment/simulate.h), on the
// synthetic world, multi-label data, the Criteo log, and users of a file.
#pragma once

namespace CLI {
class App;
}

namespace sotto::apps {

void add_p2b_simulate_command(CLI::App& p2b);

}  // namespace sotto::apps
