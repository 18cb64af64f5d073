// `sotto-lab paper robin`: plays ROBIN at several settings and compares with reference figures.
#pragma once

namespace CLI {
class App;
}

namespace sotto::apps {

void add_robin_paper_command(CLI::App& paper);

}  // namespace sotto::apps
