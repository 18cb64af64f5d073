// `sotto prepare digits|mnist|csv`: makes the files of a run from raw data (apps/kit/data/prepare.h).
//
// Prints the files, what is in them, the --max-norm to use and the command to run next; with --json
// the same as one object. The command runs in CLI11's callback while the arguments are parsed;
// failures leave it as sotto::Error.
#pragma once

namespace CLI {
class App;
}

namespace sotto::apps {

void add_prepare_command(CLI::App& app);

}  // namespace sotto::apps
