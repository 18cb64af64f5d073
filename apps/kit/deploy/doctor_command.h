// `sotto doctor`: finds out what would stop a role, and says what to do.
#pragma once

namespace CLI {
class App;
}

namespace sotto::apps {

void add_doctor_command(CLI::App& app);

}  // namespace sotto::apps
