#include "bench/lab/hannun_paper/private_run.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "apps/bandit/run/local/launcher.h"
#include "apps/bandit/run/local/local.h"
#include "apps/bandit/run/result/link_model.h"
#include "apps/kit/files/output_file.h"
#include "apps/kit/files/table.h"
#include "apps/prepare/data/reduction.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::lab {

using namespace sotto::apps::bandit::run;
namespace {

constexpr int digits_written = 10;  // keep a unit row's norm within what is allowed

// Some columns of the rows, in their order.
void write_party(const std::filesystem::path& file, const HannunImages& images, std::span<const std::size_t> rows,
                 std::size_t first, std::size_t columns) {
  std::vector<std::string> names;
  for (std::size_t c = 0; c < columns; ++c) names.push_back(fmt::format("pc_{}", first + c));
  std::vector<double> values;
  values.reserve(rows.size() * columns);
  for (const std::size_t row : rows) {
    const auto part = images.context(row).subspan(first, columns);
    values.insert(values.end(), part.begin(), part.end());
  }
  write_csv(file, names, values, digits_written);
}

void write_environment(const std::filesystem::path& file, const HannunWorld& world, std::span<const std::size_t> rows,
                       std::uint64_t seed) {
  std::vector<std::string> names;
  std::vector<double> values;
  if (world.has_classes()) {
    names = {"label"};
    for (const std::size_t row : rows) values.push_back(world.images().labels[row]);
  } else {
    for (std::size_t a = 0; a < world.arms(); ++a) names.push_back(fmt::format("reward_{}", a));
    for (const std::size_t row : rows) {
      const auto chances = world.probabilities().subspan(row * world.arms(), world.arms());
      values.insert(values.end(), chances.begin(), chances.end());
    }
    values = draw_rewards(values, ~seed);
  }
  write_csv(file, names, values);
}

BanditOptions write_run(const std::filesystem::path& folder, const HannunWorld& world,
                        std::span<const std::size_t> rows, std::uint64_t seed, const HannunPrivateSettings& settings) {
  BanditOptions options;
  std::size_t first = 0;
  for (const std::size_t columns : even_columns(settings.parties, hannun_features)) {
    options.parties.push_back(folder / fmt::format("party_{}.csv", options.parties.size()));
    write_party(options.parties.back(), world.images(), rows, first, columns);
    first += columns;
  }
  options.environment = folder / "environment.csv";
  write_environment(options.environment, world, rows, seed);
  options.run.arms = settings.arms > 0 ? settings.arms : world.arms();
  options.run.epsilon = settings.epsilon;
  options.run.bits = settings.bits;
  options.run.max_norm = 1;
  options.run.deal_ahead = settings.deal_ahead;
  options.run.reveal_model = settings.reveal_model;
  options.run.insecure_plaintext = true;
  options.run.insecure_seed = seed;
  return options;
}

}  // namespace

double HannunPrivateRun::average_after(std::uint64_t steps) const {
  CurvePoint before;
  for (const CurvePoint& point : curve) {
    if (point.step < steps) {
      before = point;
      continue;
    }
    const auto sum = [](const CurvePoint& p) { return p.average_reward * static_cast<double>(p.step); };
    const double part = static_cast<double>(steps - before.step) / static_cast<double>(point.step - before.step);
    return (sum(before) + part * (sum(point) - sum(before))) / static_cast<double>(steps);
  }
  return before.average_reward;
}

HannunPrivateRun run_hannun_private(const HannunWorld& world, std::span<const std::size_t> order, std::uint64_t seed,
                                    const HannunPrivateSettings& settings, const std::atomic<bool>& interrupted) {
  HannunPrivateRun played;
  played.settings = settings;
  const PrivateFolder folder;
  const BanditOptions options = write_run(folder.path(), world, order.first(settings.steps), seed, settings);
  const LocalInputs inputs = read_local_inputs(options);
  LocalRun local;
  local.run = local_run_config(options, inputs, 0);
  local.data = options.parties;
  local.environment = options.environment;
  try {
    (void)local_plan(local.run, inputs);
  } catch (const InputError& error) {
    played.refused = error.what();
    return played;
  }
  const LaunchOutcome outcome = launch_local_run(local, {}, interrupted);
  const BanditResult result = assemble_result(options, inputs, local.run, outcome.reports, outcome.loop_seconds);
  played.curve = result.reward_curve;
  const double seconds = settings.deal_ahead ? result.online_seconds.value_or(0) : outcome.loop_seconds;
  played.step_us = 1e6 * seconds / static_cast<double>(settings.steps);
  played.rounds = result.rounds_per_step.value_or(0);
  if (result.weights) {
    for (const std::vector<double>& of_arm : *result.weights) {
      played.weights.insert(played.weights.end(), of_arm.begin(), of_arm.end());
    }
  }
  return played;
}

}  // namespace sotto::apps::lab
