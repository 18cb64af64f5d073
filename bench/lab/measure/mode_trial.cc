#include "bench/lab/measure/mode_trial.h"

#include <algorithm>

#include "apps/bandit/run/local/launcher.h"
#include "bench/lab/measure/labelled_data.h"

namespace sotto::apps::lab {

using namespace sotto::apps::bandit::run;
namespace {

constexpr std::uint64_t rows_of_modes = 2000;  // beyond them the steps wrap round

ModeCase of_whole_batches(ModeCase c) {
  c.steps = std::max<std::uint64_t>(c.steps - c.steps % c.batch, c.batch);
  return c;
}

BanditOptions files_of(const ModeCase& c, const std::filesystem::path& folder) {
  const std::size_t rows = std::min(c.steps, rows_of_modes);
  BanditOptions options = write_data(make_data(rows, c.features, c.arms, 1), c.parties(), folder);
  options.run.steps = c.steps;
  options.run.batch = c.batch;
  options.run.update = c.update;
  return options;
}

}  // namespace

ModeTrial::ModeTrial(const ModeCase& wanted)
    : measurement_{of_whole_batches(wanted), {}, {}},
      options_(files_of(measurement_.configuration, folder_.path())),
      inputs_(read_local_inputs(options_)) {}

BanditResult ModeTrial::played(RandomnessBy by, bool ahead, const std::atomic<bool>& interrupted) const {
  BanditOptions options = options_;
  options.run.preprocessing = by;
  options.run.deal_ahead = ahead;
  BanditSettings run = local_run_config(options, inputs_, 0);
  run.insecure_plaintext = true;
  LocalRun local;
  local.run = run;
  local.data = options.parties;
  local.environment = options.environment;
  const LaunchOutcome outcome = launch_local_run(local, {}, interrupted);
  return assemble_result(options, inputs_, run, outcome.reports, outcome.loop_seconds);
}

void ModeTrial::measure(const std::atomic<bool>& interrupted) {
  const auto a_step = [&](const std::optional<double>& seconds) {
    return 1e6 * seconds.value_or(0) / static_cast<double>(measurement_.configuration.steps);
  };
  const BanditResult made = played(measurement_.configuration.mode, false, interrupted);
  measurement_.made.all_us.push_back(1e6 * made.seconds_per_step.value_or(0));
  measurement_.made.online_us.push_back(a_step(made.online_seconds));
  measurement_.made.preprocessing_us.push_back(a_step(made.preprocessing_seconds));
  measurement_.made.preprocessing_rounds = made.preprocessing_rounds_per_step.value_or(0);
  measurement_.made.preprocessing_bytes = made.preprocessing_bytes_per_step.value_or(0);

  const BanditResult beside = played(RandomnessBy::dealer, false, interrupted);
  const BanditResult ahead = played(RandomnessBy::dealer, true, interrupted);
  measurement_.dealt.all_us.push_back(1e6 * beside.seconds_per_step.value_or(0));
  measurement_.dealt.online_us.push_back(a_step(ahead.online_seconds));
  measurement_.dealt.preprocessing_us.push_back(a_step(ahead.dealer_seconds));
  measurement_.dealt.preprocessing_bytes = ahead.dealt_bytes_per_step.value_or(0);

  for (const auto& [figures, result] : {std::pair{&measurement_.made, &made}, {&measurement_.dealt, &ahead}}) {
    figures->rounds = result->rounds_per_step.value_or(0);
    figures->sent_bytes = result->bytes_per_step.value_or(0);
  }
}

}  // namespace sotto::apps::lab
