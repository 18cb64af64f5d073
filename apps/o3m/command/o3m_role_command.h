// sotto o3m role: one role of an O3M run, from its config.
#pragma once

namespace CLI {
class App;
}

namespace sotto::apps {

void add_o3m_role_command(CLI::App& o3m);

}  // namespace sotto::apps
