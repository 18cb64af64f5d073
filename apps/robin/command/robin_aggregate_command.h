// `sotto robin aggregate`: the private mean of a file of estimates, the block of ROBIN by itself.
#pragma once

namespace CLI {
class App;
}

namespace sotto::apps {

void add_robin_aggregate_command(CLI::App& robin);

}  // namespace sotto::apps
