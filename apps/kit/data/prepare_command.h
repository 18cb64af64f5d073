// `sotto prepare digits|mnist|csv`: makes the files of a run from raw data (apps/kit/data/prepare.h).
//
// Prints the files, what is in them, the --max-norm to use and the command to run next; with --json the same as one
// object. Failures leave it as sotto::Error.
#pragma once

namespace sotto::apps {

class Command;

void add_prepare_command(Command& app);

}  // namespace sotto::apps
