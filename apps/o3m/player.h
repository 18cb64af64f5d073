// Plays a linear bandit on contexts that are there: the active participant on masked ones, the central twin on whole
// ones. Both are this loop, so that their times can be compared.
//
// Contexts come in batches of whole steps, in order. As long as all of them fit into `prefetch_bytes` they are kept,
// and finish() plays them: no step then waits for a round trip, nor for a peer's processor. Otherwise each batch is
// played as it comes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sotto/apps/kit/learn/linear_bandit.h"

namespace sotto::apps {

struct O3mPlay {
  std::vector<std::uint32_t> arms;  // by step, 0-based
  std::vector<double> rewards;      // by step
  std::vector<double> scores;       // [step][arm], where they were asked for
  double seconds = 0;               // of selecting and updating alone
};

struct O3mPlayerOptions {
  LinearBanditOptions bandit;
  std::uint64_t steps = 0;
  bool keep_scores = false;
  std::size_t prefetch_bytes = std::size_t{1} << 30;
};

class O3mPlayer {
 public:
  // What an arm earns at a step.
  using RewardGetter = std::function<double(std::uint64_t step, std::size_t arm)>;

  O3mPlayer(const O3mPlayerOptions& options, RewardGetter rewards);

  // [step][arm][dimension]. std::invalid_argument unless it is whole steps that follow the last.
  void take(std::uint64_t first, std::span<const double> contexts);

  // Plays what is left, and returns the whole. std::logic_error if contexts are missing.
  [[nodiscard]] O3mPlay finish();

  // Steps that were taken in; those of them that were played.
  [[nodiscard]] std::uint64_t taken() const noexcept { return taken_; }
  [[nodiscard]] std::uint64_t played() const noexcept { return play_.arms.size(); }

 private:
  void play(std::span<const double> contexts);
  [[nodiscard]] std::size_t step_size() const noexcept { return options_.bandit.arms * options_.bandit.dimension; }

  O3mPlayerOptions options_;
  RewardGetter rewards_;
  LinearBandit bandit_;
  bool prefetches_;
  std::vector<double> kept_;
  std::uint64_t taken_ = 0;
  O3mPlay play_;
};

}  // namespace sotto::apps
