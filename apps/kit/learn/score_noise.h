// The noise of LinTS on the scores of K arms: L e, with L L' = G the covariance of the scores
// (X W X') and e standard normal, an entry an arm.
//
// L is the Cholesky factor of G with pivots, and stops where what is left of an arm's variance is rounding: at most d
// of K arms have noise of their own where K > d, and arms of equal contexts get equal noise. The next pivot is the
// first arm that has at least 0.83 of the largest variance left, not the largest itself, so that rounding does not
// choose between arms that are equal: two matrices that differ by rounding give noise that does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "sotto/apps/kit/learn/doubles.h"

namespace sotto::apps {

class ScoreNoise {
 public:
  explicit ScoreNoise(std::size_t arms);

  // Adds v L e to the scores; `covariance` is symmetric, rows begin every `stride` doubles, and its lower triangle is
  // read. e has an entry an arm. L has `rank` columns at most.
  void add(std::span<double> scores, const double* covariance, std::size_t stride, double v, std::span<const double> e,
           std::size_t rank);

 private:
  std::size_t arms_;
  Doubles columns_;   // of L, one after the other, an entry an arm
  Doubles variance_;  // that is left
  Doubles least_;     // of an arm's variance that is more than rounding
};

}  // namespace sotto::apps
