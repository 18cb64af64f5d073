// `sotto robin client`: a client of a ROBIN run, as a process of its own
// (docs/robin.md).
#pragma once

namespace CLI {
class App;
}

namespace sotto::apps {

void add_robin_client_command(CLI::App& robin);

}  // namespace sotto::apps
