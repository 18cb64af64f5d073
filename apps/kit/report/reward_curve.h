// The running average reward of a run, kept at about 200 steps of it.
//
// The recorded steps depend on the run's length alone, so that curves of equal runs can be averaged and drawn on one
// axis. They are every step of a short run and thin out as the cube of the index in a long one (all of the first few
// steps, 1.5% of the run between the last two), so that the curve is smooth on a linear and on a logarithmic axis. The
// last point is the last step. O(points) memory, O(1) time a step, 10^7 steps and more.
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
  std::optional<double> sd;  // over repeated runs

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
  // All that a curve has taken in: to go on from after an interruption.
  struct State {
    std::uint64_t steps = 0;
    double sum = 0;
    double lost = 0;  // low-order bits of the sum (Kahan)
    Curve points;     // those that were kept, without a last one that is only the present step

    friend bool operator==(const State&, const State&) = default;
  };

  // total_steps >= 1 and max_points >= 1, else std::invalid_argument.
  explicit RewardCurve(std::uint64_t total_steps, std::size_t max_points = 200);
  // Goes on from the state of a curve that was made with the same two numbers. A state that no such curve can have:
  // std::invalid_argument.
  RewardCurve(std::uint64_t total_steps, State state, std::size_t max_points = 200);

  [[nodiscard]] State state() const { return State{steps_, sum_, lost_, points_}; }

  // The reward of the next step. More than total_steps of them: std::invalid_argument.
  void add(double reward);

  [[nodiscard]] std::uint64_t steps() const noexcept { return steps_; }
  [[nodiscard]] std::uint64_t total_steps() const noexcept { return total_steps_; }

  // 0 before the first step.
  [[nodiscard]] double average() const noexcept;

  // The points so far; of an unfinished run the last is the step that it has reached.
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

// Mean and sample standard deviation, point by point, of curves with the same steps; curves that differ in their steps:
// std::invalid_argument.
Curve average_curves(std::span<const Curve> curves);

}  // namespace sotto::apps
