#include "apps/kit/program/main.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <iostream>
#include <new>
#include <system_error>
#include <utility>
#include <vector>

#include "apps/kit/program/about.h"
#include "apps/kit/program/command.h"
#include "apps/kit/program/say.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps {
namespace {

constexpr const char* exit_codes =
    "Exit codes: 0 done, 2 usage or input, 3 peer unreachable or lost, 4 protocol violation, 5 configs disagree,\n"
    "            6 local resource, 7 certificate not trusted, 70 internal, 130 interrupted";

// No file or connection may get the descriptor number of a closed stdin, stdout or stderr.
void hold_standard_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) continue;
    // Writing to a closed stdout still fails.
    const int held = ::open("/dev/null", descriptor == STDERR_FILENO ? O_WRONLY : O_RDONLY);
    if (held > STDERR_FILENO) ::close(held);
  }
}

bool standard_output_failed() noexcept { return std::ferror(stdout) != 0 || std::cout.bad(); }

// A reader such as `head` may have read enough, which is no error.
bool reader_has_gone() noexcept {
  pollfd out{STDOUT_FILENO, 0, 0};
  return ::poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

ResourceError output_lost(const std::string& why) {
  return ResourceError(
      fmt::format("not all of the output could be written to stdout{}{}: make room there, or read it to its end",
                  why.empty() ? "" : ": ", why));
}

// Throws ResourceError if output was lost.
void finish_standard_output() {
  const bool failed = standard_output_failed();
  std::cout.flush();
  // A second write after a failure sets errno to the reason.
  errno = 0;
  if (std::fflush(stdout) == 0 && !failed && !standard_output_failed()) return;
  throw output_lost(errno == 0 ? "" : std::generic_category().message(errno));
}

int exit_with(ExitCode code, const std::string& message, const nlohmann::ordered_json& result = {}) {
  if (json_wanted()) {
    std::fputs(failure_json(code, message, result).c_str(), stdout);
    std::fflush(stdout);
  }
  if (!standard_output_failed() || !reader_has_gone()) say(fmt::format("sotto: {}", message));
  return static_cast<int>(code);
}

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
  // A file size limit or a closed pipe becomes an ordinary error.
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
    return exit_with(ExitCode::local_resource, what_failed(error));
  } catch (const std::exception& error) {
    return exit_with(ExitCode::internal, error.what());
  }
}

}  // namespace sotto::apps
