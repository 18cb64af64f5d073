// The plain-text twin of the private bandit: Algorithm 1 of Hannun et al. 2019 in double precision.
//
// Each arm a keeps W_a^-1 (W_0 = I), b_a and its weights w_a = W_a^-1 b_a. A step plays the arm with the largest score
// w_a . x, ties broken uniformly at random, or with probability epsilon a uniform arm; then the pulled arm's state
// takes in (x, r) by Sherman-Morrison: W^-1 <- W^-1 - u u' / (1 + u . x) with u = W^-1 x. Its randomness is its own
// seed, never that of a private run. About a microsecond a step at 20 features and 10 arms.
//
// Contexts are spans of `features` numbers, arms are 0-based, matrices row-major features x features. Wrong sizes or
// arms: std::invalid_argument; epsilon outside [0, 1]: InputError.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <vector>

#include "apps/bandit/model/batch/batch_plan.h"
#include "apps/bandit/model/privacy.h"
#include "apps/kit/report/reward_curve.h"

namespace sotto::apps::bandit {

class PlaintextBandit {
 public:
  PlaintextBandit(std::size_t arms, std::size_t features, double epsilon, std::uint64_t seed);

  // The arm to pull: epsilon-greedy.
  std::size_t select(std::span<const double> context);

  // Takes in the reward of the arm that was pulled for this context.
  void update(std::span<const double> context, std::size_t arm, double reward);

  // The score of each arm, without playing; valid until the next call of select or scores.
  std::span<const double> scores(std::span<const double> context);

  [[nodiscard]] std::span<const double> weights(std::size_t arm) const;
  [[nodiscard]] std::span<const double> inverse_matrix(std::size_t arm) const;
  [[nodiscard]] std::size_t arms() const noexcept { return arms_; }
  [[nodiscard]] std::size_t features() const noexcept { return features_; }

 private:
  void check_context(std::span<const double> context) const;
  void check_arm(std::size_t arm) const;

  std::size_t arms_;
  std::size_t features_;
  Exploration exploration_;
  std::mt19937_64 random_;
  std::vector<double> inverse_;  // [arm][i][j]
  std::vector<double> biases_;   // [arm][i]
  std::vector<double> weights_;  // [arm][i]
  std::vector<double> scores_;   // [arm]
  std::vector<double> u_;        // scratch of update
};

// The context of a step (0-based); the span must stay valid until the next call.
using ContextGetter = std::function<std::span<const double>(std::uint64_t step)>;
// The reward that an arm brings at a step.
using RewardGetter = std::function<double(std::uint64_t step, std::size_t arm)>;

struct PlaintextRun {
  double average_reward = 0;
  Curve curve;
  PlaintextBandit bandit;  // as the run left it
};

// Decides and learns in this order, as the private run does: in batches it decides by what was learned by then.
PlaintextRun run_plaintext(const ContextGetter& contexts, const RewardGetter& rewards, BatchSchedule order,
                           std::size_t arms, std::size_t features, double epsilon, std::uint64_t seed);

}  // namespace sotto::apps::bandit
