// `sotto prepare o3m`: generated files to try `sotto o3m` with.
#pragma once

namespace CLI {
class App;
}

namespace sotto::apps {

void add_prepare_o3m_command(CLI::App& prepare);

}  // namespace sotto::apps
