#include "sotto/apps/commands.h"

#include <CLI/CLI.hpp>

#include "sotto/apps/bandit/command/bandit_command.h"
#include "sotto/apps/bandit/command/plan_command.h"
#include "sotto/apps/bandit/command/role_command.h"
#include "sotto/apps/kit/data/prepare_command.h"
#include "sotto/apps/kit/deploy/doctor_command.h"
#include "sotto/apps/kit/deploy/init_command.h"
#include "sotto/apps/kit/deploy/keys_command.h"
#include "sotto/apps/o3m/command/o3m_command.h"
#include "sotto/apps/o3m/command/prepare_o3m_command.h"
#include "sotto/apps/p2b/command/p2b_command.h"
#include "sotto/apps/robin/command/robin_command.h"

namespace sotto::apps {

void add_commands(CLI::App& app) {
  add_prepare_command(app);
  add_prepare_o3m_command(*app.get_subcommand("prepare"));
  add_plan_command(app);
  add_bandit_command(app);
  add_o3m_command(app);
  add_robin_command(app);
  add_p2b_command(app);
  add_init_command(app);
  add_role_commands(app);
  add_keys_command(app);
  add_doctor_command(app);
}

}  // namespace sotto::apps
