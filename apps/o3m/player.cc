#include "sotto/apps/o3m/player.h"

#include <chrono>
#include <stdexcept>
#include <utility>

namespace sotto::apps {

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

}  // namespace sotto::apps
