// The subcommands of sotto.
#pragma once

namespace CLI {
class App;
}

namespace sotto::apps {

// Each is in files of its own, in the folder of its program or of the kit.
void add_commands(CLI::App& app);

}  // namespace sotto::apps
