// The subcommands of sotto-lab, each in a file of its own in bench/lab/command/.
#pragma once

namespace CLI {
class App;
}

namespace sotto::apps {

void add_lab_commands(CLI::App& app);

}  // namespace sotto::apps
