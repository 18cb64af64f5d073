// The plain-text twin of the private bandit: Algorithm 1 of Hannun et al. 2019 in double precision.
//
// Each arm a has a matrix W_a, which is I at the start, a vector b_a and weights w_a = W_a^-1 b_a. The twin updates the
// pulled arm by Sherman-Morrison: W^-1 <- W^-1 - u u' / (1 + u . x) with u = W^-1 x. The twin draws its randomness from
// its own seed, never from the seed of a private run.
//
// Arms are 0-based, and matrices are row-major. Wrong sizes or arms throw std::invalid_argument; epsilon outside [0, 1]
// throws InputError.
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

  std::size_t select(std::span<const double> context);

  void update(std::span<const double> context, std::size_t arm, double reward);

  // Valid until the next call of select or scores.
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
  std::vector<double> u_;
};

// The returned span must stay valid until the next call.
using ContextGetter = std::function<std::span<const double>(std::uint64_t step)>;
using RewardGetter = std::function<double(std::uint64_t step, std::size_t arm)>;

struct PlaintextRun {
  double average_reward = 0;
  Curve curve;
  PlaintextBandit bandit;
};

PlaintextRun run_plaintext(const ContextGetter& contexts, const RewardGetter& rewards, BatchSchedule order,
                           std::size_t arms, std::size_t features, double epsilon, std::uint64_t seed);

// Compares a private run with the twin. The follower receives the contexts, arms and rewards of the private run, which
// only the launcher of a local simulation has. For each step the follower reports whether the private run played the
// arm that the twin would have played.
//
// If the arms differ, the private run explored, or rounded a score differently. The gap of a step is the twin's best
// score minus the twin's score of the private arm. Rounding can only swap arms with a tiny gap.

// Steps are 1-based.
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
  std::uint64_t agreeing_steps = 0;  // including exact ties
  std::uint64_t near_ties = 0;       // steps with a gap below near_tie_gap
  double near_tie_gap = 0;
  double agreement = 0;           // agreeing_steps / steps
  double expected_agreement = 0;  // 1 - epsilon (1 - 1/arms)
  double average_gap = 0;         // mean over the differing steps
  double largest_gap = 0;
  Curve agreement_curve;                         // share of agreeing steps so far
  std::vector<ArmDifference> first_differences;  // at most max_listed
  std::optional<double> largest_weight_difference;

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

  // Returns true if `arm` is the twin's greedy arm for `context`.
  bool decided(std::span<const double> context, std::size_t arm);
  void learned(std::span<const double> context, std::size_t arm, double reward) {
    bandit_.update(context, arm, reward);
  }

  [[nodiscard]] PlaintextComparison comparison() const;

  // `revealed_weights` has one row per arm.
  [[nodiscard]] PlaintextComparison comparison(std::span<const std::vector<double>> revealed_weights) const;

  [[nodiscard]] const PlaintextBandit& bandit() const noexcept { return bandit_; }

 private:
  PlaintextBandit bandit_;
  RewardCurve agreement_;
  PlaintextComparison counts_;
  double gap_sum_ = 0;
};

}  // namespace sotto::apps::bandit
