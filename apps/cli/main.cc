// sotto: private contextual bandits. This turns an error into one line on stderr and an exit code, and
// with --json into one object on stdout.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <exception>
#include <new>
#include <string>
#include <system_error>

#include "apps/cli/command_line.h"
#include "apps/cli/failure.h"
#include "apps/cli/program.h"
#include "apps/cli/say.h"
#include "apps/cli/standard_streams.h"
#include "apps/cli/usage.h"
#include "apps/cli/version.h"
#include "core/error/errors.h"

namespace {

int exit_with(sotto::ExitCode code, const std::string& message,
              const nlohmann::ordered_json& result = {}) {
  if (sotto::apps::json_wanted()) {
    std::fputs(sotto::apps::failure_json(code, message, result).c_str(), stdout);
    std::fflush(stdout);
  }
  sotto::apps::say(fmt::format("sotto: {}", message));
  return static_cast<int>(code);
}

// Printing to a stdout that takes no more throws as well, without a word of stdout.
std::string what_failed(const std::system_error& error) {
  if (!sotto::apps::standard_output_failed()) return error.what();
  return sotto::apps::output_lost(error.code().message()).what();
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
  sotto::apps::add_commands(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    return exit_with(sotto::ExitCode::usage,
                     fmt::format("{} (see --help)", sotto::apps::usage_error(app, error)));
  }
  return static_cast<int>(sotto::ExitCode::done);
}

}  // namespace

int main(int argc, char** argv) {
  sotto::apps::hold_standard_streams();
  sotto::apps::remember_command_line(argc, argv);
  // A file that may not grow, or a reader that has gone, is an error to report like any other.
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  try {
    const int code = run(argc, argv);
    if (code == 0) sotto::apps::finish_standard_output();
    return code;
  } catch (const sotto::apps::FailedRun& error) {
    return exit_with(error.exit_code(), error.what(), error.result());
  } catch (const sotto::Error& error) {
    return exit_with(error.exit_code(), error.what());
  } catch (const std::bad_alloc&) {
    return exit_with(sotto::ExitCode::local_resource,
                     "out of memory: use fewer rows, arms or parties, or a larger machine");
  } catch (const std::system_error& error) {
    // What this machine does not give, where no line of its own says what to do about it.
    return exit_with(sotto::ExitCode::local_resource, what_failed(error));
  } catch (const std::exception& error) {
    return exit_with(sotto::ExitCode::internal, error.what());
  }
}
