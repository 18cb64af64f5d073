#include "sotto/apps/commands.h"

#include <CLI/CLI.hpp>

#include "sotto/apps/bandit/commands.h"
#include "sotto/apps/bandit/settings.h"
#include "sotto/apps/kit/data/prepare_command.h"
#include "sotto/apps/kit/deploy/commands.h"
#include "sotto/apps/o3m/commands.h"
#include "sotto/apps/o3m/settings.h"
#include "sotto/apps/p2b/commands.h"
#include "sotto/apps/robin/commands.h"

namespace sotto::apps {

const Keys& all_keys() {
  static const Keys keys({&bandit_program(), &o3m_program()});
  return keys;
}

void add_commands(CLI::App& app) {
  add_prepare_command(app);
  add_prepare_o3m_command(*app.get_subcommand("prepare"));
  add_plan_command(app);
  add_bandit_command(app);
  add_o3m_command(app, all_keys());
  add_robin_command(app);
  add_p2b_command(app);
  add_init_command(app, all_keys());
  add_role_commands(app, all_keys());
  add_keys_command(app, all_keys());
  add_doctor_command(app, all_keys());
}

}  // namespace sotto::apps
