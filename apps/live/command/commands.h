#pragma once

#include "apps/bandit/model/learned_model.h"

namespace sotto::apps {
class Command;
class Keys;
}  // namespace sotto::apps

namespace sotto::apps::live {

// `sotto serve`. If the service begins with the model of an earlier run, `read_run` reads that model.
void add_serve_command(Command& app, const Keys& keys, bandit::ReadRunModel read_run);

void add_model_command(Command& app);

void add_archive_command(Command& app, const Keys& keys);

}  // namespace sotto::apps::live
