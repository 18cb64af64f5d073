#include "apps/cli/bandit_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <ctime>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "apps/bandit/delay.h"
#include "apps/bandit/local_run.h"
#include "apps/cli/bandit_options.h"
#include "apps/cli/command_line.h"
#include "apps/cli/interrupt.h"
#include "apps/cli/version.h"
#include "apps/report/progress.h"
#include "apps/report/text.h"
#include "apps/report/writer.h"
#include "apps/roles/launcher.h"
#include "core/error/errors.h"

namespace sotto::apps {
namespace {

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

// One run from start to end. The result says what happened up to the point where a run failed; the
// error goes on.
BanditResult run_once(const BanditOptions& options, const LocalInputs& inputs,
                      const RunConfig& run) {
  ProgressLine line(std::cerr, is_terminal(STDERR_FILENO), terminal_width(STDERR_FILENO));
  const LocalRun local{run,
                       options.parties,
                       options.environment,
                       options.compare_plaintext,
                       options.pull_delay,
                       options.reward_delay};
  const LaunchOutcome outcome = launch_local_run(
      local, [&](const ProgressState& state) { line.update(state); }, interrupted());
  line.clear();
  return assemble_result(options, inputs, run, outcome.reports, outcome.loop_seconds);
}

void stamp(BanditResult& result, const std::string& started) {
  result.version = version();
  result.command = command_line();
  result.started = started;
}

std::filesystem::path output_folder(const BanditOptions& options) {
  if (!options.out.empty()) return options.out;
  return options.json ? std::filesystem::path{} : default_run_directory();
}

void publish(const BanditOptions& options, const std::filesystem::path& folder,
             const BanditResult& result) {
  if (!folder.empty()) write_run(folder, result);
  const TextOptions text{use_colour(STDOUT_FILENO)};
  const std::string shown =
      options.json ? to_json(result).dump(2) + "\n" : summary_text(result, text);
  std::fputs(shown.c_str(), stdout);
  if (!options.json)
    fmt::print("\n  {}\n  {}\n", (folder / "run.json").string(), (folder / "report.html").string());
}

// What the roles would refuse only once they run.
void check_delays(const BanditOptions& options) {
  const double deadline = RoleConfig{}.round_deadline_seconds;
  const auto check = [&](const std::string& text, const char* flag) {
    require_delay_within(parse_answer_delay(text, flag), deadline, flag);
  };
  check(options.pull_delay, "--pull-delay");
  check(options.reward_delay, "--reward-delay");
  if (!options.reward_delay.empty() && !options.separate_rewarder) {
    throw InputError("--reward-delay",
                     "needs --separate-rewarder; where one process is actor and rewarder, "
                     "--pull-delay is the time from the arm to its reward");
  }
}

void run(const BanditOptions& options) {
  catch_interrupts();
  check_delays(options);
  const std::string started = utc_now();
  const LocalInputs inputs = read_local_inputs(options);
  const std::filesystem::path folder = output_folder(options);
  if (!folder.empty()) make_run_directory(folder);
  std::vector<BanditResult> results;
  for (std::uint64_t repetition = 0; repetition < options.repeat; ++repetition) {
    const RunConfig config = local_run_config(options, inputs, repetition);
    // What is out of range is refused here, by the name of its flag.
    const BanditPlan plan = local_plan(config, inputs);
    if (repetition == 0 && !options.max_norm) {
      fmt::print(stderr, "sotto: |x| <= {} by the parties' announced bounds (--max-norm)\n",
                 plan.parameters.max_norm);
    }
    try {
      results.push_back(run_once(options, inputs, config));
    } catch (const Error& error) {
      BanditResult failed = failed_result(options, inputs, config, error.what());
      stamp(failed, started);
      if (!folder.empty()) write_run(folder, failed);
      if (options.json) fmt::print("{}\n", to_json(failed).dump(2));
      throw;
    }
    stamp(results.back(), started);
  }
  publish(options, folder, results.size() == 1 ? results.front() : average(results));
}

}  // namespace

void add_bandit_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "bandit", "Run the private epsilon-greedy bandit, every role a process on this machine");
  const auto options = std::make_shared<BanditOptions>();
  add_bandit_options(*command, *options);
  command->footer(
      "Examples:\n"
      "  sotto bandit --party a.csv --party b.csv --environment labels.csv --epsilon 0.1\n"
      "  sotto bandit --party a.csv --party b.csv --party c.csv --environment labels.csv --steps "
      "60000 --json\n"
      "  sotto bandit --party a.csv --party b.csv --environment labels.csv --max-norm 1 --repeat 5 "
      "--out results");
  command->callback([options] { run(*options); });
}

}  // namespace sotto::apps
