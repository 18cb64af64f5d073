// LinUCB (Abbasi-Yadkori et al. 2011) of one client after another, from each client's own sums. The score is theta.x +
// alpha sqrt(x' W x), with W = (ridge I + the sum of x x')^-1 and theta = W b.
//
// A LocalUcb object has one model at a time. resume() makes the model from a client's sums, which have the form of
// LeastSquares, and play() updates the sums. If scores are equal, the arm with the lowest number is pulled.
// (LinearBandit stores far more than sums: too much for tens of thousands of clients with a few hundred steps each.)
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "apps/robin/instance.h"
#include "apps/robin/settings.h"

namespace sotto::apps::robin {

// Solves small least squares problems from sums: G, the sum of x x', as its lower triangle by rows, and b, the sum of
// reward x. LeastSquares is made for few dimensions and tens of thousands of clients, and adds in a fixed order.
// kit/learn/ridge.h learns sample by sample but needs a ridge.
class LeastSquares {
 public:
  explicit LeastSquares(std::size_t dimension);

  // Writes the least squares estimate G^+ b to `out`. The estimate is 0 in directions in which no x has a component.
  void solve(std::span<const double> triangle, std::span<const double> moments, std::span<double> out);
  // Writes (G + ridge I)^-1 to `inverse`, dimension x dimension. `ridge` must be above 0.
  void invert(std::span<const double> triangle, double ridge, std::span<double> inverse);

 private:
  // Returns whether G + ridge I has a Cholesky factor that is far from singular.
  bool factorize(std::span<const double> triangle, double ridge);
  void substitute(std::span<double> values) const;
  void solve_singular(std::span<const double> triangle, std::span<const double> moments, std::span<double> out) const;

  std::size_t dimension_;
  std::vector<double> factor_;  // lower triangular matrix, dimension x dimension
  std::vector<double> column_;
};

// Sums over some steps of some clients.
struct StepSums {
  double regret = 0;
  double reward = 0;
  double rewards_clipped = 0;
};

class LocalUcb {
 public:
  explicit LocalUcb(const RobinSettings& settings);

  // Makes the model from the sums `triangle` and `moments`. The memory of `triangle` and `moments` must stay valid
  // until the next resume().
  void resume(std::span<double> triangle, std::span<double> moments);
  // Plays step `lane` of a group.
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
  std::vector<double> context_, gain_;            // x and W x of an arm
  std::vector<double> best_context_, best_gain_;  // x and W x of the selected arm
  double best_width_ = 0;                         // x' W x of the selected arm
};

}  // namespace sotto::apps::robin
