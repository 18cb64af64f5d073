// Small least squares problems from sums: G, the sum of x x', as its lower triangle by rows, and b, the sum of reward
// x. In few dimensions and a fixed order of sums, for tens of thousands of clients; kit/learn/small_ridge.h learns sample
// by sample, where there is a ridge.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace sotto::apps {

class LeastSquares {
 public:
  explicit LeastSquares(std::size_t dimension);

  // out = G^+ b: the least squares estimate, 0 in directions that no x has.
  void solve(std::span<const double> triangle, std::span<const double> moments, std::span<double> out);
  // inverse (dimension x dimension) = (G + ridge I)^-1, ridge > 0.
  void invert(std::span<const double> triangle, double ridge, std::span<double> inverse);

 private:
  // Whether G + ridge I has a Cholesky factor that is far from singular.
  bool factorize(std::span<const double> triangle, double ridge);
  void substitute(std::span<double> values) const;
  void solve_singular(std::span<const double> triangle, std::span<const double> moments, std::span<double> out) const;

  std::size_t dimension_;
  std::vector<double> factor_;  // dimension x dimension, lower
  std::vector<double> column_;
};

}  // namespace sotto::apps
