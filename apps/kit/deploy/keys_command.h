// `sotto keys`: makes the private key of a role, shows fingerprints, and enters them into configs.
#pragma once

namespace CLI {
class App;
}

namespace sotto::apps {

void add_keys_command(CLI::App& app);

}  // namespace sotto::apps
