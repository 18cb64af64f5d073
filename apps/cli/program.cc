#include "apps/cli/program.h"

#include <CLI/CLI.hpp>

#include "apps/cli/bandit_command.h"
#include "apps/cli/bench_command.h"
#include "apps/cli/doctor_command.h"
#include "apps/cli/init_command.h"
#include "apps/cli/keys_command.h"
#include "apps/cli/o3m_command.h"
#include "apps/cli/p2b_command.h"
#include "apps/cli/plan_command.h"
#include "apps/cli/prepare_command.h"
#include "apps/cli/robin_command.h"
#include "apps/cli/role_command.h"

namespace sotto::apps {

void add_commands(CLI::App& app) {
  add_prepare_command(app);
  add_plan_command(app);
  add_bandit_command(app);
  add_o3m_command(app);
  add_robin_command(app);
  add_p2b_command(app);
  add_bench_command(app);
  add_init_command(app);
  add_role_commands(app);
  add_keys_command(app);
  add_doctor_command(app);
}

}  // namespace sotto::apps
