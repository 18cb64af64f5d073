#include "sotto/bench/lab/o3m_paper/measured_costs.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "sotto/apps/kit/learn/instance.h"
#include "sotto/bench/lab/o3m_paper/local_masking.h"
#include "sotto/core/error/errors.h"

namespace sotto::apps {
namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// The least time of `work`, called at least 3 times and for about `seconds`.
double least_seconds(double seconds, const std::atomic<bool>& interrupted, const std::function<void()>& work) {
  double least = std::numeric_limits<double>::infinity();
  const auto begin = Clock::now();
  for (int call = 0; call < 3 || since(begin) < seconds; ++call) {
    if (interrupted) throw Interrupted();
    const auto start = Clock::now();
    work();
    least = std::min(least, since(start));
  }
  return least;
}

O3mParameters parameters_of(const CostSetting& setting, std::size_t steps) {
  O3mParameters parameters;
  parameters.steps = steps;
  parameters.arms = setting.arms;
  for (std::size_t j = 0; j < setting.participants; ++j) {
    parameters.columns.push_back((j + 1) * setting.dimension / setting.participants -
                                 j * setting.dimension / setting.participants);
  }
  parameters.bounds.assign(setting.participants, 1.0625);
  return parameters;
}

}  // namespace

MeasuredCost measure_cost(LinearAlgorithm algorithm, const CostSetting& setting, double seconds,
                          const std::atomic<bool>& interrupted) {
  constexpr std::size_t batch_numbers = std::size_t{1} << 17;  // as much as travels together
  const std::size_t step_numbers = setting.arms * setting.dimension;
  const std::size_t steps = std::clamp<std::size_t>(batch_numbers / step_numbers, 1, 100);
  const LinearInstance instance({setting.dimension, setting.arms, 0.05, 1});
  std::vector<double> contexts(steps * step_numbers), masked(contexts.size());
  for (std::size_t t = 0; t < steps; ++t) {
    instance.contexts(0, t, std::span(contexts).subspan(t * step_numbers, step_numbers));
  }
  MeasuredCost cost{setting, algorithm, 0, 0, 0};
  const auto a_step = static_cast<double>(steps);
  LocalMasking masking(parameters_of(setting, steps), 1);
  cost.mask_seconds = least_seconds(seconds / 2, interrupted, [&] { masking.mask(contexts, masked); }) / a_step;
  cost.own_seconds = least_seconds(seconds / 2, interrupted, [&] { masking.mask_own_part(contexts, masked); }) / a_step;

  LinearBanditOptions options;
  options.algorithm = algorithm;
  options.dimension = setting.dimension;
  options.arms = setting.arms;
  LinearBandit bandit(options);
  std::uint64_t step = 0;
  cost.play_seconds =
      least_seconds(seconds / 2, interrupted,
                    [&] {
                      for (std::size_t t = 0; t < steps; ++t, ++step) {
                        const auto rows = std::span<const double>(contexts).subspan(t * step_numbers, step_numbers);
                        const auto row = rows.subspan(bandit.select(step, rows) * setting.dimension, setting.dimension);
                        bandit.update(row, instance.mean(row));
                      }
                    }) /
      a_step;
  return cost;
}

}  // namespace sotto::apps
