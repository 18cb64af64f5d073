// sotto: private contextual bandits. Every subcommand is a file of this folder; this one names
// them, and turns an error into one line on stderr and an exit code.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>

#include "apps/cli/bandit_command.h"
#include "apps/cli/bench_command.h"
#include "apps/cli/command_line.h"
#include "apps/cli/doctor_command.h"
#include "apps/cli/init_command.h"
#include "apps/cli/keys_command.h"
#include "apps/cli/o3m_command.h"
#include "apps/cli/p2b_command.h"
#include "apps/cli/plan_command.h"
#include "apps/cli/prepare_command.h"
#include "apps/cli/robin_command.h"
#include "apps/cli/role_command.h"
#include "apps/cli/version.h"
#include "core/error/errors.h"

namespace {

int exit_with(sotto::ExitCode code, const char* message) {
  fmt::print(stderr, "sotto: {}\n", message);
  return static_cast<int>(code);
}

int run(int argc, char** argv) {
  CLI::App app{"sotto: contextual bandits for organisations that share people, not data", "sotto"};
  app.require_subcommand(1);
  app.set_version_flag("--version", sotto::apps::version());
  app.footer(
      "Examples:\n"
      "  sotto prepare digits --out data\n"
      "  sotto bandit --party data/party_0.csv --party data/party_1.csv --environment "
      "data/environment.csv --max-norm 1\n"
      "Exit codes: 0 done, 2 usage or input, 3 peer unreachable or lost, 4 protocol violation, 5 "
      "configs disagree,\n"
      "            6 local resource, 7 certificate not trusted, 70 internal, 130 interrupted");
  sotto::apps::add_prepare_command(app);
  sotto::apps::add_plan_command(app);
  sotto::apps::add_bandit_command(app);
  sotto::apps::add_o3m_command(app);
  sotto::apps::add_robin_command(app);
  sotto::apps::add_p2b_command(app);
  sotto::apps::add_bench_command(app);
  sotto::apps::add_init_command(app);
  sotto::apps::add_role_commands(app);
  sotto::apps::add_keys_command(app);
  sotto::apps::add_doctor_command(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    return exit_with(sotto::ExitCode::usage, fmt::format("{} (see --help)", error.what()).c_str());
  }
  return static_cast<int>(sotto::ExitCode::done);
}

}  // namespace

int main(int argc, char** argv) {
  // A limit on the size of files is an error of the write that meets it, as a full disk is.
  std::signal(SIGXFSZ, SIG_IGN);
  sotto::apps::remember_command_line(argc, argv);
  // A file that may not grow, or a reader that has gone, is an error to report like any other.
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return run(argc, argv);
  } catch (const sotto::Error& error) {
    return exit_with(error.exit_code(), error.what());
  } catch (const std::bad_alloc&) {
    return exit_with(sotto::ExitCode::local_resource,
                     "out of memory: use fewer rows, arms or parties, or a larger machine");
  } catch (const std::exception& error) {
    return exit_with(sotto::ExitCode::internal, error.what());
  }
}
