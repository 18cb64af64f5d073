// `sotto o3m audit`: shows on generated or own data what O3M leaks.
#pragma once

namespace CLI {
class App;
}

namespace sotto::apps {

void add_o3m_audit_command(CLI::App& o3m);

}  // namespace sotto::apps
