// The plain-text twin of the private bandit: Algorithm 1 of Hannun et al. 2019 in double precision.
//
// Each arm a has W_a^-1 (W_0 = I), b_a and its weights w_a = W_a^-1 b_a. A step plays the arm with the largest score
// w_a . x; ties are broken uniformly at random. With probability epsilon, a step plays a uniform arm instead. The state
// of the pulled arm is then updated with (x, r) by Sherman-Morrison: W^-1 <- W^-1 - u u' / (1 + u . x) with u = W^-1 x.
// The randomness comes from a seed of its own, never from the seed of a private run. A step takes about a microsecond
// at 20 features and 10 arms.
//
// Contexts are spans of `features` numbers, arms are 0-based, matrices are row-major features x features. Wrong sizes
// or arms throw std::invalid_argument; epsilon outside [0, 1] throws InputError.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "apps/bandit/model/batch_schedule.h"
#include "apps/bandit/model/privacy.h"
#include "apps/kit/report/reward_curve.h"

namespace sotto::apps::bandit {

class PlaintextBandit {
 public:
  PlaintextBandit(std::size_t arms, std::size_t features, double epsilon, std::uint64_t seed);

  // The arm to pull: epsilon-greedy.
  std::size_t select(std::span<const double> context);

  // Learns from the reward of the arm that was pulled for this context.
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
// The reward that an arm earns at a step.
using RewardGetter = std::function<double(std::uint64_t step, std::size_t arm)>;

struct PlaintextRun {
  double average_reward = 0;
  Curve curve;
  PlaintextBandit bandit;  // at the end of the run
};

// Decides and learns in the order of the private run. In batches, the twin decides with what it has learned so far.
PlaintextRun run_plaintext(const ContextGetter& contexts, const RewardGetter& rewards, BatchSchedule order,
                           std::size_t arms, std::size_t features, double epsilon, std::uint64_t seed);

// The plain-text twin that follows a private run. The twin gets the contexts, arms and rewards of the private run. For
// each step the twin tells whether the private run played as double precision would have.
//
// Only the launcher of a local simulation has all these data; no role of a real run has all of them. No role or
// launcher knows the private scores. So the twin compares the arm (is it the twin's greedy arm?) and, if the model is
// revealed at the end, the weights. If the arms differ, the private run either explored, or rounded a score
// differently. The gap shows which of these two it is. It is the twin's best score minus the twin's score of the
// private arm, and rounding can only swap arms whose gap is tiny.

// A step (1-based) at which the private arm was not the twin's greedy arm.
struct ArmDifference {
  std::uint64_t step = 0;
  std::size_t arm = 0;
  std::size_t plaintext_arm = 0;
  double gap = 0;

  static void describe(auto& self, auto&& field) {
    field("step", self.step);
    field("arm", self.arm);
    field("plaintext_arm", self.plaintext_arm);
    field("gap", self.gap);
  }
};

struct PlaintextComparison {
  std::uint64_t steps = 0;
  std::uint64_t agreeing_steps = 0;  // the private arm is greedy for the twin too, exact ties included
  std::uint64_t near_ties = 0;       // the private arm is not greedy, but its gap is below near_tie_gap
  double near_tie_gap = 0;
  double agreement = 0;           // agreeing_steps / steps
  double expected_agreement = 0;  // 1 - epsilon + epsilon / arms
  double average_gap = 0;         // mean gap of the steps that differ
  double largest_gap = 0;
  Curve agreement_curve;                         // running agreement
  std::vector<ArmDifference> first_differences;  // at most max_listed
  std::optional<double> largest_weight_difference;

  // The curve is left out, because the points of a Curve have another name.
  static void describe(auto& self, auto&& field) {
    field("steps", self.steps);
    field("agreeing_steps", self.agreeing_steps);
    field("agreement", self.agreement);
    field("expected_agreement", self.expected_agreement);
    field("near_ties", self.near_ties);
    field("near_tie_gap", self.near_tie_gap);
    field("average_gap", self.average_gap);
    field("largest_gap", self.largest_gap);
    field("first_differences", self.first_differences);
    field("largest_weight_difference", self.largest_weight_difference);
  }
};

class PlaintextFollower {
 public:
  static constexpr std::size_t max_listed = 100;
  static constexpr double near_tie_gap = 1e-3;

  PlaintextFollower(std::uint64_t total_steps, std::size_t arms, std::size_t features, double epsilon);

  // Takes the arm that the private run decided in its next step. Returns true if this arm is the twin's greedy arm.
  bool decided(std::span<const double> context, std::size_t arm);
  // Takes the event that the private run learned next. In single steps an event is learned right after its decision, in
  // batches later.
  void learned(std::span<const double> context, std::size_t arm, double reward) {
    bandit_.update(context, arm, reward);
  }

  [[nodiscard]] PlaintextComparison comparison() const;

  // The comparison, with the largest difference between the revealed weights [arm][feature] and the twin's.
  [[nodiscard]] PlaintextComparison comparison(std::span<const std::vector<double>> revealed_weights) const;

  [[nodiscard]] const PlaintextBandit& bandit() const noexcept { return bandit_; }

 private:
  PlaintextBandit bandit_;
  RewardCurve agreement_;
  PlaintextComparison counts_;
  double gap_sum_ = 0;
};

}  // namespace sotto::apps::bandit
