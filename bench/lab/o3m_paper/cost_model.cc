#include "bench/lab/o3m_paper/o3m_paper.h"

#include <limits>
#include <stdexcept>

#include "apps/kit/learn/instance.h"
#include "apps/o3m/masked_contexts.h"
#include "sotto/protocol/random/seed.h"
#include "sotto/protocol/simulate/simulate.h"

namespace sotto::apps::lab {

using namespace sotto::apps::o3m;
namespace {

struct Sizes {
  explicit Sizes(const CostSetting& setting)
      : T(static_cast<double>(setting.steps)),
        K(static_cast<double>(setting.arms)),
        d(static_cast<double>(setting.dimension)),
        M(static_cast<double>(setting.participants)) {}
  double T, K, d, M;
};

// Masking and adding the contexts of a step (appendix C.1.1 and C.1.3, stage 2).
double masking(const Sizes& s) { return s.K * s.d * s.d + s.K * s.M * s.d; }

double step_operations(LinearAlgorithm algorithm, const Sizes& s) {
  if (algorithm == LinearAlgorithm::ucb) {
    return (s.K * s.d + s.d * s.d * s.d + s.K * s.d * s.d + s.K) + (s.d * s.d + s.d + s.d * s.d);
  }
  return (s.d * s.d + s.d * s.d * s.d + s.K * s.d + s.K) + (s.d + s.d * s.d * s.d + s.d + s.d * s.d);
}

class NoSite final : public O3mSite {
 public:
  std::vector<double> draw_mask(std::size_t) override { throw std::logic_error("a planned mask"); }
  std::span<const double> contexts(std::uint64_t, std::size_t) override { throw std::logic_error("planned contexts"); }
  void take(std::uint64_t, std::span<const double>) override { throw std::logic_error("planned contexts"); }
};

double least_seconds(double seconds, const std::atomic<bool>& interrupted, const std::function<void()>& work) {
  double least = std::numeric_limits<double>::infinity();
  const auto begin = std::chrono::steady_clock::now();
  for (int call = 0; call < 3 || seconds_since(begin) < seconds; ++call) {
    if (interrupted) throw Interrupted();
    const auto start = std::chrono::steady_clock::now();
    work();
    least = std::min(least, seconds_since(start));
  }
  return least;
}

O3mParameters parameters_of(const CostSetting& setting, std::uint64_t steps, double bound) {
  O3mParameters parameters;
  parameters.steps = steps;
  parameters.arms = setting.arms;
  parameters.columns = split_columns(setting.dimension, setting.participants);
  parameters.bounds.assign(setting.participants, bound);
  return parameters;
}

}  // namespace

std::vector<std::size_t> split_columns(std::size_t dimension, std::size_t participants) {
  std::vector<std::size_t> columns;
  for (std::size_t j = 0; j < participants; ++j) {
    columns.push_back((j + 1) * dimension / participants - j * dimension / participants);
  }
  return columns;
}

double central_operations(LinearAlgorithm algorithm, const CostSetting& setting) {
  const Sizes s(setting);
  return s.T * step_operations(algorithm, s);
}

double masked_operations(LinearAlgorithm algorithm, const CostSetting& setting) {
  const Sizes s(setting);
  const double mask = s.d * s.d + s.d * s.d * s.d;
  return mask + s.T * (masking(s) + step_operations(algorithm, s));
}

double relative_cost(LinearAlgorithm algorithm, const CostSetting& setting) {
  return masked_operations(algorithm, setting) / central_operations(algorithm, setting);
}

double model_step_bytes(const CostSetting& setting) {
  const Sizes s(setting);
  return 8 * s.K * s.M * s.d;
}

double model_bytes(const CostSetting& setting) {
  const Sizes s(setting);
  return 8 * s.d * s.d + s.T * model_step_bytes(setting);
}

double planned_bytes(const CostSetting& setting) {
  const O3mPlan plan = plan_o3m(parameters_of(setting, setting.steps, 1));
  NoSite site;
  const auto program = [&](Party& party) { return masked_contexts(party, plan, site, Seed::insecure_from_number(0)); };
  const Ledger ledger = protocols::plan(plan.topology(), program);
  double bytes = 0;
  for (const std::uint64_t sent : ledger.total().sent) bytes += static_cast<double>(sent);
  return bytes;
}

MeasuredCost measure_cost(LinearAlgorithm algorithm, const CostSetting& setting, double seconds,
                          const std::atomic<bool>& interrupted) {
  constexpr std::size_t batch_numbers = std::size_t{1} << 17;
  const std::size_t step_numbers = setting.arms * setting.dimension;
  const std::size_t steps = std::clamp<std::size_t>(batch_numbers / step_numbers, 1, 100);
  const LinearInstance instance({setting.dimension, setting.arms, 0.05, 1});
  std::vector<double> contexts(steps * step_numbers), masked(contexts.size());
  for (std::size_t t = 0; t < steps; ++t) {
    instance.contexts(0, t, std::span(contexts).subspan(t * step_numbers, step_numbers));
  }
  MeasuredCost cost{setting, algorithm, 0, 0, 0};
  const auto a_step = static_cast<double>(steps);
  LocalMasking masking(parameters_of(setting, steps, 1.0625), 1);
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

}  // namespace sotto::apps::lab
