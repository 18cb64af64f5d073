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
#include <optional>
#include <span>
#include <vector>

#include "apps/kit/learn/linear_bandit.h"
#include "apps/o3m/files.h"
#include "apps/o3m/plan.h"

namespace sotto::apps::o3m {

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

// The central twin of an O3M run: the same bandit on the plain contexts of all participants
// together, with the same ties and noise, to which the run must be equal but for rounding. For whoever has all files.

// What bandit a run plays: at the active participant on masked contexts, and at the twin.
[[nodiscard]] LinearBanditOptions bandit_options(const O3mParameters& parameters, std::uint64_t stream_seed);

// Plays the first parameters.steps steps.
[[nodiscard]] O3mPlay play_central(const O3mInputs& inputs, const O3mParameters& parameters, std::uint64_t stream_seed);

struct CentralComparison {
  bool arms_equal = true;
  std::optional<std::uint64_t> first_difference;  // the first step (from 0) with another arm
  double max_score_difference = 0;                // over all steps and arms
  double seconds_per_step = 0;                    // of the twin
  double average_reward = 0;                      // of the twin
};

// Beside the arms ([step]) and scores ([step][arm]) of an O3M run. Other numbers of them than the twin's:
// std::invalid_argument.
[[nodiscard]] CentralComparison compare_with(const O3mPlay& twin, std::span<const std::uint32_t> arms,
                                             std::span<const double> scores);

}  // namespace sotto::apps::o3m
