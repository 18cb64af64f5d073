// `sotto-lab audit`: shows on generated or own data what O3M leaks.
#pragma once

namespace CLI {
class App;
}

namespace sotto::apps {

void add_o3m_audit_command(CLI::App& app);

}  // namespace sotto::apps
