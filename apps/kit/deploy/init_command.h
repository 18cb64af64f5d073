// sotto init: a set of configs for a run whose roles are on several machines.
#pragma once

namespace CLI {
class App;
}

namespace sotto::apps {

void add_init_command(CLI::App& app);

}  // namespace sotto::apps
