#include "apps/commands.h"

#include <cstdio>
#include <memory>

#include "apps/bandit/run/command/commands.h"
#include "apps/bandit/run/role/earlier_model.h"
#include "apps/bandit/run/settings/settings.h"
#include "apps/kit/deploy/commands.h"
#include "apps/kit/program/about.h"
#include "apps/kit/program/command.h"
#include "apps/kit/program/manual.h"
#include "apps/kit/settings/command_config.h"
#include "apps/live/command/commands.h"
#include "apps/live/config/live_config.h"
#include "apps/o3m/commands.h"
#include "apps/o3m/settings.h"
#include "apps/p2b/commands.h"
#include "apps/prepare/align/align_settings.h"
#include "apps/prepare/command/align_command.h"
#include "apps/prepare/command/prepare.h"
#include "apps/robin/commands.h"
#include "apps/run/settings.h"

namespace sotto::apps {

const Keys& all_keys() {
  static const Keys keys({&bandit_program(), &o3m_program(), &live_program(), &own_program()});
  return keys;
}

namespace {

// `sotto help` and `sotto help COMMAND` are --help (kit/program/parse.h).
void add_help_command(Command& app) {
  struct Wanted {
    bool settings = false;
    bool man = false;
    bool completion = false;
  };
  Command* command = app.add_subcommand("help", "Print help of a command, or one of these");
  const auto wanted = std::make_shared<Wanted>();
  command->add_flag("--settings", wanted->settings, "All settings of configs");
  command->add_flag("--man", wanted->man, "The man page, roff");
  command->add_flag("--completion", wanted->completion, "Completion for bash, a script");
  command->footer(
      "Examples:\n"
      "  sotto help robin client\n"
      "  sotto help --settings\n"
      "  source <(sotto help --completion)");
  command->callback([&app, wanted] {
    if (wanted->settings) std::fputs(settings_manual(all_keys(), command_roles(app)).c_str(), stdout);
    if (wanted->man) std::fputs(man_page(app, version()).c_str(), stdout);
    if (wanted->completion) std::fputs(bash_completion(app).c_str(), stdout);
  });
}

}  // namespace

void add_commands(Command& app) {
  add_prepare_command(app);
  add_prepare_o3m_command(*app.subcommand("prepare"));
  add_align_command(app, all_keys());
  add_plan_command(app);
  add_bandit_command(app);
  add_evaluate_command(app);
  add_o3m_command(app, all_keys());
  add_robin_command(app);
  add_p2b_command(app);
  add_init_command(app, all_keys());
  add_role_commands(app, all_keys());
  add_prepare_randomness_command(app, all_keys());
  add_serve_command(app, all_keys(), read_run_model);
  add_model_command(app);
  add_keys_command(app, all_keys());
  add_doctor_command(app, all_keys(), [](const RoleSettings& run) { return std::make_shared<AlignSettings>(run); });
  add_help_command(app);
}

}  // namespace sotto::apps
