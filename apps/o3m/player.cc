#include "apps/o3m/player.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace sotto::apps::o3m {
namespace {

constexpr std::size_t joined_numbers = std::size_t{1} << 17;

}  // namespace

O3mPlayer::O3mPlayer(const O3mPlayerOptions& options, RewardGetter rewards)
    : options_(options),
      rewards_(std::move(rewards)),
      bandit_(options.bandit),
      prefetches_(options.steps <= options.prefetch_bytes / sizeof(double) / step_size()) {
  if (prefetches_) kept_.reserve(options.steps * step_size());
  play_.arms.reserve(options.steps);
  play_.rewards.reserve(options.steps);
  if (options.keep_scores) play_.scores.reserve(options.steps * options.bandit.arms);
}

void O3mPlayer::take(std::uint64_t first, std::span<const double> contexts) {
  const std::uint64_t steps = contexts.size() / step_size();
  if (first != taken_ || steps * step_size() != contexts.size() || first + steps > options_.steps) {
    throw std::invalid_argument("a player takes whole steps, one after the other");
  }
  taken_ += steps;
  if (prefetches_) {
    kept_.insert(kept_.end(), contexts.begin(), contexts.end());
  } else {
    play(contexts);
  }
}

O3mPlay O3mPlayer::finish() {
  if (taken_ != options_.steps) throw std::logic_error("a player has not got all contexts");
  play(kept_);
  kept_ = {};
  return std::move(play_);
}

void O3mPlayer::play(std::span<const double> contexts) {
  const auto begin = std::chrono::steady_clock::now();
  const std::size_t dimension = options_.bandit.dimension;
  for (std::size_t at = 0; at < contexts.size(); at += step_size()) {
    const std::uint64_t step = play_.arms.size();
    const auto of_step = contexts.subspan(at, step_size());
    const std::size_t arm = bandit_.select(step, of_step);
    const double reward = rewards_(step, arm);
    bandit_.update(of_step.subspan(arm * dimension, dimension), reward);
    play_.arms.push_back(static_cast<std::uint32_t>(arm));
    play_.rewards.push_back(reward);
    if (options_.keep_scores) {
      play_.scores.insert(play_.scores.end(), bandit_.scores().begin(), bandit_.scores().end());
    }
  }
  play_.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

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

}  // namespace sotto::apps::o3m
