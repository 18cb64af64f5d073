// `sotto robin aggregator`: the role that all clients of a ROBIN run trust, as a process of its own
// (docs/robin.md).
#pragma once

namespace CLI {
class App;
}

namespace sotto::apps {

void add_robin_aggregator_command(CLI::App& robin);

}  // namespace sotto::apps
