// `sotto p2b agent`: the agent of P2B as a process (docs/p2b.md).
#pragma once

namespace CLI {
class App;
}

namespace sotto::apps {

// Adds the subcommand to `sotto p2b`.
void add_p2b_agent_command(CLI::App& p2b);

}  // namespace sotto::apps
