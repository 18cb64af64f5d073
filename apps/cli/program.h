// The program: all its subcommands.
#pragma once

namespace CLI {
class App;
}

namespace sotto::apps {

// Every subcommand is in files of its own in this folder, apps/cli/; this names them.
void add_commands(CLI::App& app);

}  // namespace sotto::apps
