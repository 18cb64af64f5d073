#include "sotto/bench/lab/measure/wan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "sotto/apps/bandit/local.h"
#include "sotto/apps/bandit/role/launcher.h"
#include "sotto/apps/kit/files/atomic_file.h"
#include "sotto/apps/kit/files/private_path.h"

namespace sotto::apps {
namespace {

constexpr std::size_t rows = 50;

// A party's CSV: columns whose joint rows have a norm of at most 1.
std::string random_columns(std::size_t columns, std::size_t features, std::mt19937_64& random) {
  const double largest = 1 / std::sqrt(static_cast<double>(features));
  std::string text = "x0";
  for (std::size_t column = 1; column < columns; ++column) text += fmt::format(",x{}", column);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      const double unit = static_cast<double>(random() >> 11) * 0x1p-53;
      text += fmt::format("{}{:.6f}", column == 0 ? "\n" : ",", 0.99 * largest * (2 * unit - 1));
    }
  }
  return text + "\n";
}

BanditOptions write_data(const WanSetting& setting, const std::filesystem::path& folder) {
  std::mt19937_64 random(1);
  BanditOptions options;
  for (const std::size_t columns : even_columns(setting.parties, setting.features)) {
    options.parties.push_back(folder / fmt::format("party_{}.csv", options.parties.size()));
    write_file(options.parties.back(), random_columns(columns, setting.features, random));
  }
  std::string labels = "label\n";
  for (std::size_t row = 0; row < rows; ++row) {
    labels += fmt::format("{}\n", random() % setting.arms);
  }
  options.environment = folder / "environment.csv";
  write_file(options.environment, labels);
  options.arms = setting.arms;
  options.max_norm = 1;
  options.deal_ahead = true;
  options.link = setting.link;
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
  BanditOptions options = write_data(setting, folder.path());
  const LocalInputs inputs = read_local_inputs(options);
  const StepFrames frames = step_frames(local_plan(local_run_config(options, inputs, 0), inputs));
  options.steps = steps_within(seconds, frames, setting.link);
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
  return WanPoint{setting, *options.steps, frames.rounds.size(), frames.sent_by_largest_party(), *middle};
}

}  // namespace sotto::apps
