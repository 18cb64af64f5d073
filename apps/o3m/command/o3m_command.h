// `sotto o3m`: vertical federated LinUCB and LinTS (Cao et al. 2022) on one machine, every role a
// process of its own. Prints a summary, or one JSON object with --json, and writes run.json and
// report.html. Its subcommands are files of their own: o3m_<name>_command.h.
#pragma once

namespace CLI {
class App;
}

namespace sotto::apps {

void add_o3m_command(CLI::App& app);

}  // namespace sotto::apps
