// The subcommands of the decision service.
#pragma once

#include "apps/bandit/model/learned_model.h"

namespace sotto::apps {
class Command;
class Keys;
}  // namespace sotto::apps

namespace sotto::apps::live {

// `sotto serve`: runs one role of the decision service until the process is stopped. If the service begins with the
// model of an earlier run, `read_run` reads that model.
void add_serve_command(Command& app, const Keys& keys, bandit::ReadRunModel read_run);

// `sotto model`: computes the model of a decision service from the shares that all parties have exported.
void add_model_command(Command& app);

}  // namespace sotto::apps::live
