#include "sotto/apps/kit/program/main.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "sotto/apps/kit/program/command.h"
#include "sotto/apps/kit/program/command_line.h"
#include "sotto/apps/kit/program/failure.h"
#include "sotto/apps/kit/program/parse.h"
#include "sotto/apps/kit/program/say.h"
#include "sotto/apps/kit/program/standard_streams.h"
#include "sotto/apps/kit/program/version.h"
#include "sotto/core/error/errors.h"

namespace sotto::apps {
namespace {

constexpr const char* exit_codes =
    "Exit codes: 0 done, 2 usage or input, 3 peer unreachable or lost, 4 protocol violation, 5 configs disagree,\n"
    "            6 local resource, 7 certificate not trusted, 70 internal, 130 interrupted";

int exit_with(ExitCode code, const std::string& message, const nlohmann::ordered_json& result = {}) {
  if (json_wanted()) {
    std::fputs(failure_json(code, message, result).c_str(), stdout);
    std::fflush(stdout);
  }
  say(fmt::format("sotto: {}", message));
  return static_cast<int>(code);
}

// Printing to a stdout that takes no more throws as well, without a word of stdout.
std::string what_failed(const std::system_error& error) {
  if (!standard_output_failed()) return error.what();
  return output_lost(error.code().message()).what();
}

int run(const Executable& program, std::vector<std::string> words) {
  Command command{program.name, program.about};
  program.add_commands(command);
  try {
    parse_and_run(command, {program.name + ": " + program.about, version(), program.footer + exit_codes},
                  std::move(words));
  } catch (const UsageError& error) {
    return exit_with(ExitCode::usage, fmt::format("{} (see --help)", error.what()));
  }
  return static_cast<int>(ExitCode::done);
}

}  // namespace

int run_main(const Executable& program, int argc, char** argv) {
  hold_standard_streams();
  remember_command_line(program.name, argc, argv);
  // A file that may not grow, or a reader that has gone, is an error to report like any other.
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  try {
    const int code = run(program, {argv + 1, argv + std::max(argc, 1)});
    if (code == 0) finish_standard_output();
    return code;
  } catch (const FailedRun& error) {
    return exit_with(error.exit_code(), error.what(), error.result());
  } catch (const Error& error) {
    return exit_with(error.exit_code(), error.what());
  } catch (const std::bad_alloc&) {
    return exit_with(ExitCode::local_resource, "out of memory: use fewer rows, arms or parties, or a larger machine");
  } catch (const std::system_error& error) {
    // What this machine does not give, where no line of its own says what to do about it.
    return exit_with(ExitCode::local_resource, what_failed(error));
  } catch (const std::exception& error) {
    return exit_with(ExitCode::internal, error.what());
  }
}

}  // namespace sotto::apps
