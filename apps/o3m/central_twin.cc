#include "sotto/apps/o3m/central_twin.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace sotto::apps {
namespace {

// Contexts that are joined at a time, outside the time that is taken.
constexpr std::size_t joined_numbers = std::size_t{1} << 17;

}  // namespace

LinearBanditOptions bandit_options(const O3mParameters& parameters, std::uint64_t stream_seed) {
  LinearBanditOptions options;
  options.algorithm = parameters.algorithm;
  options.dimension = parameters.dimension();
  options.arms = parameters.arms;
  options.beta = parameters.beta;
  options.v = parameters.v;
  options.lambda = parameters.lambda;
  options.stream_seed = stream_seed;
  return options;
}

O3mPlay play_central(const O3mInputs& inputs, const O3mParameters& parameters, std::uint64_t stream_seed) {
  if (parameters.steps > inputs.steps()) throw std::invalid_argument("play_central: no such steps");
  O3mPlayerOptions options;
  options.bandit = bandit_options(parameters, stream_seed);
  options.steps = parameters.steps;
  options.keep_scores = true;
  O3mPlayer player(options, [&](std::uint64_t step, std::size_t arm) { return inputs.environment.reward(step, arm); });
  const std::size_t step_size = inputs.arms() * inputs.dimension();
  const std::uint64_t batch = std::max<std::uint64_t>(joined_numbers / step_size, 1);
  std::vector<double> contexts;
  for (std::uint64_t first = 0; first < parameters.steps; first += batch) {
    const std::uint64_t count = std::min(batch, parameters.steps - first);
    contexts.resize(count * step_size);
    for (std::uint64_t i = 0; i < count; ++i) {
      join_contexts(inputs, first + i, std::span(contexts).subspan(i * step_size, step_size));
    }
    player.take(first, contexts);
  }
  return player.finish();
}

CentralComparison compare_with(const O3mPlay& twin, std::span<const std::uint32_t> arms,
                               std::span<const double> scores) {
  if (arms.empty() || arms.size() != twin.arms.size() || scores.size() != twin.scores.size()) {
    throw std::invalid_argument("compare_with: arms and scores of all steps are needed");
  }
  CentralComparison comparison;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    comparison.max_score_difference = std::max(comparison.max_score_difference, std::abs(scores[i] - twin.scores[i]));
  }
  const auto differs = std::mismatch(arms.begin(), arms.end(), twin.arms.begin()).first;
  comparison.arms_equal = differs == arms.end();
  if (!comparison.arms_equal) {
    comparison.first_difference = static_cast<std::uint64_t>(differs - arms.begin());
  }
  const auto steps = static_cast<double>(arms.size());
  comparison.seconds_per_step = twin.seconds / steps;
  comparison.average_reward = std::accumulate(twin.rewards.begin(), twin.rewards.end(), 0.0) / steps;
  return comparison;
}

}  // namespace sotto::apps
