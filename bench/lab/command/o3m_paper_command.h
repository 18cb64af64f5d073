// `sotto-lab paper o3m`: plays the experiments of Cao et al. 2022 and compares.
#pragma once

namespace CLI {
class App;
}

namespace sotto::apps {

void add_o3m_paper_command(CLI::App& paper);

}  // namespace sotto::apps
