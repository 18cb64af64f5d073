#include "apps/commands.h"

#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

#include "apps/bandit/run/command/commands.h"
#include "apps/bandit/run/role/earlier_model.h"
#include "apps/bandit/run/settings/settings.h"
#include "apps/kit/account/account_command.h"
#include "apps/kit/deploy/commands.h"
#include "apps/kit/program/about.h"
#include "apps/kit/program/command.h"
#include "apps/kit/program/main.h"
#include "apps/kit/settings/command_config.h"
#include "apps/live/command/commands.h"
#include "apps/live/config/live_config.h"
#include "apps/o3m/commands.h"
#include "apps/o3m/settings.h"
#include "apps/p2b/commands.h"
#include "apps/prepare/align/align_settings.h"
#include "apps/prepare/command/prepare.h"
#include "apps/robin/commands.h"
#include "apps/run/settings.h"

namespace sotto::apps {

const Keys& all_keys() {
  static const Keys keys({&bandit::run::bandit_program(), &o3m::o3m_program(), &live::live_program(), &own_program()});
  return keys;
}

namespace {

// run_main() (kit/program/main.h) turns `sotto help` and `sotto help COMMAND` into --help.
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

void group_commands(Command& app) {
  const std::pair<const char*, std::vector<const char*>> groups[] = {
      {"Try, on this machine", {"demo", "prepare", "plan", "bandit", "evaluate"}},
      {"Together, each organisation runs its role",
       {"align", "init", "keys", "doctor", "account", "party", "owner", "dealer", "helper", "actor", "rewarder",
        "prepare-randomness"}},
      {"Live, for months", {"serve", "model", "archive"}},
      {"Research, three other systems", {"o3m", "robin", "p2b"}},
      {"Help", {"help"}},
  };
  for (const auto& [heading, names] : groups) {
    for (const char* name : names) app.subcommand(name)->group(heading);
  }
}

}  // namespace

void add_commands(Command& app) {
  prepare::add_prepare_command(app);
  o3m::add_prepare_o3m_command(*app.subcommand("prepare"));
  prepare::add_align_command(app, all_keys());
  bandit::run::add_demo_command(app);
  bandit::run::add_plan_command(app);
  bandit::run::add_bandit_command(app);
  bandit::run::add_evaluate_command(app);
  bandit::run::add_role_commands(app, all_keys());
  bandit::run::add_prepare_randomness_command(app, all_keys());
  live::add_serve_command(app, all_keys(), bandit::run::read_run_model);
  live::add_model_command(app);
  live::add_archive_command(app, all_keys());
  add_keys_command(app, all_keys());
  add_account_command(app);
  o3m::add_o3m_command(app, all_keys());
  robin::add_robin_command(app);
  p2b::add_p2b_command(app);
  add_init_command(app, all_keys());  // after all commands with roles, because --protocol offers their protocols
  add_doctor_command(app, all_keys(),
                     [](const RoleSettings& run) { return std::make_shared<prepare::AlignSettings>(run); });
  add_help_command(app);
  group_commands(app);
}

}  // namespace sotto::apps
