// The subcommands of the decision service.
#pragma once

#include "apps/bandit/model/learned_model.h"

namespace sotto::apps {
class Command;
class Keys;
}  // namespace sotto::apps

namespace sotto::apps::live {

// `sotto serve`: one role of the decision service, from its config, until it is stopped. `read_run` reads the model of
// a run that a service begins from.
void add_serve_command(Command& app, const Keys& keys, bandit::ReadRunModel read_run);

// `sotto model`: the model of a decision service, from the shares that all its parties have exported.
void add_model_command(Command& app);

}  // namespace sotto::apps::live
