// Plays LinUCB (Abbasi-Yadkori et al. 2011) for one client after another, from each client's own sums. The score of an
// arm is theta.x + alpha sqrt(x' W x), with W = (ridge I + the sum of x x')^-1, theta = W b and b = the sum of reward
// x.
//
// A LocalUcb object has one model at a time. resume() computes the model from a client's sums, which have the form that
// LeastSquares uses, and play() updates the sums. If scores are equal, play() pulls the arm with the lowest number.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "apps/robin/instance.h"
#include "apps/robin/settings.h"

namespace sotto::apps::robin {

// Solves small least squares problems from two sums: G, the sum of x x', as its lower triangle by rows, and b, the sum
// of reward x.
class LeastSquares {
 public:
  explicit LeastSquares(std::size_t dimension);

  // The estimate is 0 in directions in which no x has a component.
  void solve(std::span<const double> triangle, std::span<const double> moments, std::span<double> out);
  // Writes (G + ridge I)^-1 to `inverse`, dimension x dimension. `ridge` must be above 0.
  void invert(std::span<const double> triangle, double ridge, std::span<double> inverse);

 private:
  bool factorize(std::span<const double> triangle, double ridge);
  void substitute(std::span<double> values) const;
  void solve_singular(std::span<const double> triangle, std::span<const double> moments, std::span<double> out) const;

  std::size_t dimension_;
  std::vector<double> factor_;
  std::vector<double> column_;
};

struct StepSums {
  double regret = 0;
  double reward = 0;
  double rewards_clipped = 0;
};

class LocalUcb {
 public:
  explicit LocalUcb(const RobinSettings& settings);

  // The memory of `triangle` and `moments` must stay valid until the next call of resume().
  void resume(std::span<double> triangle, std::span<double> moments);
  void play(const StepGroup& group, std::size_t lane, StepSums& sums);

  [[nodiscard]] std::span<const double> theta() const { return theta_; }

 private:
  std::size_t select(const StepGroup& group, std::size_t lane);
  void learn(double reward);

  std::size_t dimension_;
  std::size_t arms_;
  double alpha_;
  double ridge_;
  double reward_bound_;
  LeastSquares solver_;
  std::span<double> triangle_;
  std::span<double> moments_;
  std::vector<double> inverse_;  // W
  std::vector<double> theta_;
  std::vector<double> context_, gain_;
  std::vector<double> best_context_, best_gain_;
  double best_width_ = 0;
};

}  // namespace sotto::apps::robin
