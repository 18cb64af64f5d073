// The running average reward of a run, recorded at about 200 of its steps.
//
// The recorded steps depend only on the length of the run, so the curves of runs of the same length can be averaged.
// The steps grow as the cube of their index, so a curve is smooth on a linear and on a logarithmic axis. A curve takes
// O(points) memory and O(1) time per step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace sotto::apps {

// `average_reward` is the mean of the rewards of steps 1 to `step`.
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
  struct State {
    std::uint64_t steps = 0;
    double sum = 0;
    double lost = 0;  // low-order bits that `sum` lost (Kahan summation)
    Curve points;

    friend bool operator==(const State&, const State&) = default;
  };

  // Throws std::invalid_argument unless both numbers are at least 1.
  explicit RewardCurve(std::uint64_t total_steps, std::size_t max_points = 200);
  // Continues a curve with the same total_steps and max_points. Throws std::invalid_argument for a state that no such
  // curve can have.
  RewardCurve(std::uint64_t total_steps, State state, std::size_t max_points = 200);

  [[nodiscard]] State state() const { return State{steps_, sum_, lost_, points_}; }

  void add(double reward);

  [[nodiscard]] std::uint64_t steps() const noexcept { return steps_; }
  [[nodiscard]] std::uint64_t total_steps() const noexcept { return total_steps_; }

  [[nodiscard]] double average() const noexcept;

  // The last point of an unfinished run is its last step.
  [[nodiscard]] Curve points() const;

 private:
  [[nodiscard]] std::uint64_t next_recorded_step() const;

  std::uint64_t total_steps_;
  std::size_t max_points_;
  std::uint64_t steps_ = 0;
  double sum_ = 0;
  double lost_ = 0;  // low-order bits that sum_ lost (Kahan summation)
  std::size_t index_ = 0;
  std::uint64_t next_ = 0;
  Curve points_;
};

// Throws std::invalid_argument for curves with different steps.
Curve average_curves(std::span<const Curve> curves);

}  // namespace sotto::apps
