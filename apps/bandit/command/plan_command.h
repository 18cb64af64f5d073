// `sotto plan`: with the arguments of `bandit`, the exact rounds, bytes and dealt bytes of each
// phase and of each round of a step, before anything runs.
#pragma once

namespace CLI {
class App;
}

namespace sotto::apps {

void add_plan_command(CLI::App& app);

}  // namespace sotto::apps
