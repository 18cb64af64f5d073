#include "apps/bandit/run/command/commands.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "apps/bandit/run/local/launcher.h"
#include "apps/bandit/run/local/local.h"
#include "apps/bandit/run/result/result.h"
#include "apps/bandit/run/settings/answer_delay.h"
#include "apps/bandit/run/settings/options.h"
#include "apps/kit/files/input_file.h"
#include "apps/kit/files/json.h"
#include "apps/kit/process/progress.h"
#include "apps/kit/program/about.h"
#include "apps/kit/program/interrupt.h"
#include "apps/kit/program/out_options.h"
#include "apps/kit/program/say.h"
#include "apps/kit/report/human.h"
#include "apps/kit/report/publish.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::bandit::run {
namespace {

std::filesystem::path state_folder(const std::filesystem::path& out) { return out / "state"; }
std::filesystem::path saved_options(const std::filesystem::path& state) { return state / "options.json"; }

LocalRun local_run(const BanditOptions& options, const BanditSettings& run, const std::filesystem::path& state) {
  LocalRun local;
  local.run = run;
  local.data = options.features();
  local.environment = options.environment;
  local.world = options.world;
  local.columns = options.columns;
  local.log = options.log;
  local.from = options.from;
  local.record_arms = options.compare_plaintext;
  local.pull_delay = options.pull_delay;
  local.reward_delay = options.reward_delay;
  local.state = state;
  return local;
}

BanditResult run_once(const BanditOptions& options, const LocalInputs& inputs, const BanditSettings& run,
                      const std::filesystem::path& state) {
  ProgressLine line = progress_on_terminal();
  const LocalRun local = local_run(options, run, state);
  const LaunchOutcome outcome = launch_local_run(
      local, [&](const ProgressState& progress) { line.update(progress); }, interrupted());
  line.clear();
  return assemble_result(options, inputs, run, outcome.reports, outcome.loop_seconds);
}

// The command never overwrites the state of a run, because this state may be the only way to continue the run.
std::filesystem::path output_folder(const BanditOptions& options) {
  const std::filesystem::path& out = options.out;
  if (!out.empty() && file_exists(saved_options(state_folder(out)))) {
    throw InputError(
        "--out", holds_results(out)
                     ? fmt::format("{} holds the state of a run that has finished: choose another folder", out.string())
                     : fmt::format("{} holds the state of a run that has not finished: `sotto bandit --resume {}` "
                                   "continues it; for a new run choose another folder",
                                   out.string(), shell_quoted(out.string())));
  }
  return results_folder(out, options.json, options.overwrite);
}

void check_delays(const BanditOptions& options) {
  const double deadline = BanditSettings().round_deadline_seconds;
  const auto check = [&](const std::string& text, const char* flag) {
    require_delay_within(parse_answer_delay(text, flag), deadline, flag);
  };
  check(options.pull_delay, "--pull-delay");
  check(options.reward_delay, "--reward-delay");
  if (!options.reward_delay.empty() && !options.run.separate_rewarder) {
    throw InputError("--reward-delay",
                     "needs --separate-rewarder; where one process is actor and rewarder, --pull-delay is the time "
                     "from the arm to its reward");
  }
}

[[noreturn]] void fail(const Error& error, const BanditOptions& options, const LocalInputs& inputs,
                       const BanditSettings& run, const std::filesystem::path& folder, const std::string& started) {
  std::string message = error.what();
  // After this error a resumed run would fail again, because the states of the roles do not belong together.
  if (run.checkpoint_every > 0 && error.exit_code() != ExitCode::disagreement) {
    message +=
        fmt::format("; its state is kept: `sotto bandit --resume {}` continues it", shell_quoted(folder.string()));
  }
  publish_failure(error, failed_result(options, inputs, run, message), folder, started);
}

void check_state_options(const BanditOptions& options) {
  if (options.run.checkpoint_every == 0) return;
  if (options.repeat > 1) {
    throw InputError("--checkpoint-every",
                     "a state is that of one run: leave --repeat out, or start the runs one by one");
  }
  if (options.json && options.out.empty()) {
    throw InputError("--checkpoint-every", "with --json nothing is written unless --out names a folder: name one");
  }
}

}  // namespace

void run_bandit(const BanditOptions& options) {
  catch_interrupts();
  check_delays(options);
  const std::string started = utc_now();
  check_state_options(options);
  const LocalInputs inputs = read_local_inputs(options);
  const std::filesystem::path folder = output_folder(options);
  if (options.keeps_model && folder.empty()) {
    say("sotto: the model is not kept: --out names a folder for it");
  }
  std::vector<BanditResult> results;
  BanditOptions of_run = options;
  for (std::uint64_t repetition = 0; repetition < options.repeat; ++repetition) {
    // The first repetition alone plays in plain text, because all repetitions have the same rows in the same order.
    if (repetition > 0) of_run.plain_plays.least = 0;
    BanditSettings config = local_run_config(options, inputs, repetition);
    if (options.keeps_model && !folder.empty() && config.checkpoint_every == 0) config.checkpoint_every = config.steps;
    if (options.baseline && *options.baseline >= config.arms) {
      throw InputError("--baseline",
                       fmt::format("there is no arm {}: arms are 0 to {}", *options.baseline, config.arms - 1));
    }
    const BanditPlan plan = local_plan(config, inputs);
    if (repetition == 0 && !options.run.max_norm) {
      say(fmt::format("sotto: |x| <= {} by the parties' announced bounds (--max-norm)",
                      advised(plan.parameters.max_norm)));
    }
    if (repetition == 0) {
      check_evaluation(config, inputs);
      for (const std::string& warning : inputs.warnings) say("sotto: warning: " + warning);
    }
    std::filesystem::path state;
    if (config.checkpoint_every > 0) {
      state = state_folder(folder);
      create_local_state(state, local_roles(local_run(options, config, state)),
                         [&](const std::filesystem::path& made) { save_run(saved_options(made), options); });
    }
    try {
      results.push_back(run_once(of_run, inputs, config, state));
    } catch (const Error& error) {
      fail(error, options, inputs, config, folder, started);
    }
    results.back().stamp(started);
  }
  publish(results.size() == 1 ? results.front() : average(results), folder, options.json);
  if (options.keeps_model && results.front().state && !options.json) {
    fmt::print("the model is kept in shares: --from {} begins from it\n", shell_quoted(folder.string()));
  }
}

void resume_bandit(const std::filesystem::path& folder, bool json) {
  catch_interrupts();
  const std::string started = utc_now();
  if (!file_exists(saved_options(state_folder(folder)))) {
    throw InputError(
        "--resume",
        fmt::format("{} holds no state of a run: name the --out of a run with --checkpoint-every; or start a run again "
                    "in its folder, if it was killed before the first step",
                    folder.string()));
  }
  BanditOptions options = read_saved_run(saved_options(state_folder(folder)));
  options.out = folder;
  options.json = json;
  const std::vector<BanditSettings> roles = read_local_state(state_folder(folder));
  const BanditSettings& config = options.run = roles.front();
  if (!options.log.empty()) options.reward_scale = config.reward_scale;
  const LocalInputs inputs = read_local_inputs(options);
  if (local_state_complete(roles) && holds_results(folder)) {
    say(fmt::format("sotto: the run in {} is complete: there is nothing to resume", folder.string()));
    return;
  }
  make_run_directory(folder);
  BanditResult result;
  try {
    result = run_once(options, inputs, config, state_folder(folder));
  } catch (const Error& error) {
    fail(error, options, inputs, config, folder, started);
  }
  result.stamp(started);
  publish(result, folder, options.json);
}

}  // namespace sotto::apps::bandit::run
