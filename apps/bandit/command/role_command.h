// sotto party, sotto dealer, sotto actor, sotto rewarder: one role of a run, from its config.
#pragma once

namespace CLI {
class App;
}

namespace sotto::apps {

void add_role_commands(CLI::App& app);

}  // namespace sotto::apps
