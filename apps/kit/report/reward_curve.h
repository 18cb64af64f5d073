// The running average reward of a run, recorded at about 200 of its steps.
//
// The recorded steps depend only on the length of the run, so that curves of equal runs can be averaged and drawn on
// one axis. A short run records every step. In a long run the recorded steps grow as the cube of their index, and all
// of the first few steps are recorded. The last two recorded steps are 1.5% of the run apart. A curve is therefore
// smooth on a linear and on a logarithmic axis. The last point is the last step of the run. A curve takes O(points)
// memory and O(1) time per step, for 10^7 steps and more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace sotto::apps {

// The mean of the rewards of steps 1 .. step.
struct CurvePoint {
  std::uint64_t step = 0;
  double average_reward = 0;
  std::optional<double> sd;  // standard deviation over repeated runs

  static void describe(auto& self, auto&& field) {
    field("step", self.step);
    field("average_reward", self.average_reward);
    field.unless_empty("average_reward_sd", self.sd);
  }
  friend bool operator==(const CurvePoint&, const CurvePoint&) = default;
};

using Curve = std::vector<CurvePoint>;

class RewardCurve {
 public:
  // The full state of a curve, from which the curve can continue after an interruption.
  struct State {
    std::uint64_t steps = 0;
    double sum = 0;
    double lost = 0;  // low-order bits of the sum (Kahan)
    Curve points;     // the recorded points; points() may add the step reached so far

    friend bool operator==(const State&, const State&) = default;
  };

  // Throws std::invalid_argument unless total_steps >= 1 and max_points >= 1.
  explicit RewardCurve(std::uint64_t total_steps, std::size_t max_points = 200);
  // Continues from the state of a curve with the same total_steps and max_points. Throws std::invalid_argument for a
  // state that no such curve can have.
  RewardCurve(std::uint64_t total_steps, State state, std::size_t max_points = 200);

  [[nodiscard]] State state() const { return State{steps_, sum_, lost_, points_}; }

  // Adds the reward of the next step. Throws std::invalid_argument for more than total_steps rewards.
  void add(double reward);

  [[nodiscard]] std::uint64_t steps() const noexcept { return steps_; }
  [[nodiscard]] std::uint64_t total_steps() const noexcept { return total_steps_; }

  // The running average of the rewards; 0 before the first step.
  [[nodiscard]] double average() const noexcept;

  // The points recorded so far. In an unfinished run, the last point is the step that the run has reached.
  [[nodiscard]] Curve points() const;

 private:
  [[nodiscard]] std::uint64_t next_recorded_step() const;

  std::uint64_t total_steps_;
  std::size_t max_points_;
  std::uint64_t steps_ = 0;
  double sum_ = 0;
  double lost_ = 0;  // low-order bits of the sum (Kahan)
  std::size_t index_ = 0;
  std::uint64_t next_ = 0;
  Curve points_;
};

// The mean and the sample standard deviation of several curves with the same steps, point by point. Throws
// std::invalid_argument for curves with different steps.
Curve average_curves(std::span<const Curve> curves);

}  // namespace sotto::apps
