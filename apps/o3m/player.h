// Plays a linear bandit on given contexts: masked contexts at the active participant, whole contexts at the central
// twin. The active participant and the twin use the same loop, so that their times can be compared.
//
// Contexts come in batches of whole steps, in order. If all contexts fit into `prefetch_bytes`, they are kept until
// finish() plays them, so that no step waits for a round trip or for a peer's processor. If the contexts do not fit,
// each batch is played when it arrives.
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
  std::vector<std::uint32_t> arms;  // the number of the arm that was pulled at each step, from 0
  std::vector<double> rewards;      // the reward of each step
  std::vector<double> scores;       // [step][arm], if requested
  double seconds = 0;               // time spent on selecting arms and updating the bandit
};

struct O3mPlayerOptions {
  LinearBanditOptions bandit;
  std::uint64_t steps = 0;
  bool keep_scores = false;
  std::size_t prefetch_bytes = std::size_t{1} << 30;
};

class O3mPlayer {
 public:
  // The reward of an arm at a step.
  using RewardGetter = std::function<double(std::uint64_t step, std::size_t arm)>;

  O3mPlayer(const O3mPlayerOptions& options, RewardGetter rewards);

  // Receives contexts as [step][arm][dimension]; `first` is the number of the first step. Throws std::invalid_argument
  // unless these are the contexts of whole steps that directly follow the steps received before.
  void take(std::uint64_t first, std::span<const double> contexts);

  // Plays the remaining steps and returns the results of all steps. Throws std::logic_error if contexts are missing.
  [[nodiscard]] O3mPlay finish();

  // The number of steps whose contexts were received, and the number of steps that were played.
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

// The central twin of an O3M run: the same bandit on the plain contexts of all participants together, with the same
// random choices among ties and the same noise. A run must equal its twin up to rounding. The twin needs all files.

// The options of the bandit of a run, for masked contexts at the active participant and for plain contexts at the twin.
[[nodiscard]] LinearBanditOptions bandit_options(const O3mParameters& parameters, std::uint64_t stream_seed);

// Plays the first parameters.steps steps of the twin.
[[nodiscard]] O3mPlay play_central(const O3mInputs& inputs, const O3mParameters& parameters, std::uint64_t stream_seed);

struct CentralComparison {
  bool arms_equal = true;
  std::optional<std::uint64_t> first_difference;  // the first step (from 0) at which run and twin pulled different arms
  double max_score_difference = 0;                // largest difference between a score of the run and the twin's score
  double seconds_per_step = 0;                    // the twin's time for a step
  double average_reward = 0;                      // the twin's average reward
};

// Compares the twin with the arms ([step]) and scores ([step][arm]) of an O3M run. Throws std::invalid_argument if the
// twin has another number of arms or scores.
[[nodiscard]] CentralComparison compare_with(const O3mPlay& twin, std::span<const std::uint32_t> arms,
                                             std::span<const double> scores);

}  // namespace sotto::apps::o3m
