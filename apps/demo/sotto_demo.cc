// sotto-demo: the private bandit on the digits, and nothing else. It is the part of sotto that scripts/demo builds
// first, so that a newcomer waits for less. `sotto demo` plays the same run, and has more choices.
//
//     sotto-demo FOLDER STEPS
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <optional>
#include <string_view>

#include "apps/demo/run_demo.h"
#include "apps/kit/program/about.h"
#include "sotto/protocol/error/errors.h"

namespace {

std::optional<std::uint64_t> steps_in(std::string_view text) {
  std::uint32_t steps = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), steps);
  if (error != std::errc() || end != text.data() + text.size() || steps == 0) return std::nullopt;
  return steps;
}

int fail(sotto::ExitCode code, const char* why) {
  std::fprintf(stderr, "sotto-demo: %s\n", why);
  return static_cast<int>(code);
}

}  // namespace

int main(int argc, char** argv) {
  const auto steps = argc == 3 ? steps_in(argv[2]) : std::nullopt;
  if (!steps) return fail(sotto::ExitCode::usage, "usage: sotto-demo FOLDER STEPS");
  sotto::apps::remember_command_line("sotto-demo", argc, argv);
  try {
    sotto::apps::bandit::demo::run_demo(argv[1], *steps);
    return static_cast<int>(sotto::ExitCode::done);
  } catch (const sotto::Error& error) {
    return fail(error.exit_code(), error.what());
  } catch (const std::exception& error) {
    return fail(sotto::ExitCode::internal, error.what());
  }
}
