#include "sotto/bench/lab/measure/wan.h"

#include <algorithm>

#include "sotto/apps/bandit/local.h"
#include "sotto/apps/bandit/role/launcher.h"
#include "sotto/apps/kit/files/private_path.h"
#include "sotto/bench/lab/measure/synthetic.h"

namespace sotto::apps {
namespace {

constexpr std::size_t rows = 50;

BanditOptions options_of(const WanSetting& setting, const std::filesystem::path& folder) {
  BanditOptions options = write_data(make_data(rows, setting.features, setting.arms, 1), setting.parties, folder);
  options.run.deal_ahead = true;
  options.run.link = setting.link;
  return options;
}

std::uint64_t steps_within(double seconds, const StepFrames& frames, const net::LinkConditions& link) {
  constexpr double some_arithmetic = 1e-3;
  const double a_step = model_step(frames, link).total() + some_arithmetic;
  return static_cast<std::uint64_t>(std::clamp(seconds / a_step, 10.0, 300.0));
}

}  // namespace

WanPoint measure_wan(const WanSetting& setting, std::size_t repeat, double seconds,
                     const std::atomic<bool>& interrupted) {
  const PrivateFolder folder;
  BanditOptions options = options_of(setting, folder.path());
  const LocalInputs inputs = read_local_inputs(options);
  const StepFrames frames = step_frames(local_plan(local_run_config(options, inputs, 0), inputs));
  options.run.steps = steps_within(seconds, frames, setting.link);
  std::vector<LinkModel> models;
  for (std::size_t i = 0; i < repeat; ++i) {
    const BanditSettings run = local_run_config(options, inputs, i);
    const LocalRun local{run, options.parties, options.environment};
    const LaunchOutcome outcome = launch_local_run(local, {}, interrupted);
    models.push_back(compare_with_model(run, local_plan(run, inputs), outcome.reports));
  }
  const auto middle = models.begin() + static_cast<std::ptrdiff_t>(models.size() / 2);
  std::nth_element(models.begin(), middle, models.end(),
                   [](const auto& one, const auto& other) { return one.measured < other.measured; });
  return WanPoint{setting, options.run.steps, frames.rounds.size(), frames.sent_by_largest_party(), *middle};
}

}  // namespace sotto::apps
