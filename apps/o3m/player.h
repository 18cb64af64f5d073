// Plays a linear bandit on contexts: on masked contexts at the active participant, and on whole contexts at the central
// twin.
//
// If all contexts fit into `prefetch_bytes`, take() only stores them and finish() plays all steps, so no step waits for
// a peer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "apps/kit/learn/linear_bandit.h"
#include "apps/o3m/files.h"
#include "apps/o3m/plan.h"

namespace sotto::apps::o3m {

struct O3mPlay {
  std::vector<std::uint32_t> arms;  // the pulled arm of each step, from 0
  std::vector<double> rewards;
  std::vector<double> scores;  // [step][arm], if requested
  double seconds = 0;
};

struct O3mPlayerOptions {
  LinearBanditOptions bandit;
  std::uint64_t steps = 0;
  bool keep_scores = false;
  std::size_t prefetch_bytes = std::size_t{1} << 30;
};

class O3mPlayer {
 public:
  using RewardGetter = std::function<double(std::uint64_t step, std::size_t arm)>;

  O3mPlayer(const O3mPlayerOptions& options, RewardGetter rewards);

  // Receives contexts as [step][arm][dimension], from step `first` on. Throws std::invalid_argument unless `contexts`
  // has whole steps that directly follow the steps received before.
  void take(std::uint64_t first, std::span<const double> contexts);

  // Throws std::logic_error if contexts are missing.
  [[nodiscard]] O3mPlay finish();

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

[[nodiscard]] LinearBanditOptions bandit_options(const O3mParameters& parameters, std::uint64_t stream_seed);

// Plays the central twin of an O3M run: the same bandit on the plain contexts of all participants, with the same
// tie-breaking and noise. The arms of a run must equal the arms of its twin, except where rounding makes a difference.
[[nodiscard]] O3mPlay play_central(const O3mInputs& inputs, const O3mParameters& parameters, std::uint64_t stream_seed);

struct CentralComparison {
  bool arms_equal = true;
  std::optional<std::uint64_t> first_difference;  // first step (from 0) with different arms
  double max_score_difference = 0;
  double seconds_per_step = 0;  // time of the twin
  double average_reward = 0;    // average reward of the twin
};

// `arms` has one entry per step, and `scores` has one entry per step and arm.
[[nodiscard]] CentralComparison compare_with(const O3mPlay& twin, std::span<const std::uint32_t> arms,
                                             std::span<const double> scores);

}  // namespace sotto::apps::o3m
