// The subcommands of the decision service.
#pragma once

#include "apps/bandit/model/learned_model.h"

namespace sotto::apps {
class Command;
class Keys;
}  // namespace sotto::apps

namespace sotto::apps::live {

// `sotto serve`: runs one role of the decision service, as its config describes it, until it is stopped. `read_run`
// reads the model of a run, if the service begins from one.
void add_serve_command(Command& app, const Keys& keys, bandit::ReadRunModel read_run);

// `sotto model`: joins the shares that all parties have exported to the model of a decision service.
void add_model_command(Command& app);

}  // namespace sotto::apps::live
