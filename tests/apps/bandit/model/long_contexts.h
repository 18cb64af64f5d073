// Contexts on which rounding does its worst, for long runs.
#pragma once

#include "sotto/protocol/ring/fixed_point.h"
#include "tests/apps/support.h"
#include "tests/linear_algebra.h"

namespace sotto::apps::bandit::testing {

// A context of norm at most 1: Alternating, Constant, Oblique, Turned, Lever, Biased, or else in any direction.
inline Eigen::VectorXd long_context(const std::string& kind, std::size_t row, std::size_t features,
                                    std::mt19937_64& random) {
  const auto d = static_cast<Eigen::Index>(features);
  std::normal_distribution<double> normal;
  Eigen::VectorXd x = Eigen::VectorXd::Zero(d);
  if (kind == "Alternating") {
    x << (row % 2 == 0 ? .6 : .61), (row % 2 == 0 ? .8 : .7924);
  } else if (kind == "Constant") {
    x(0) = 1;
  } else if (kind == "Oblique") {
    for (Eigen::Index i = 0; i < d; ++i) x(i) = static_cast<double>(i + 1);
    x.normalize();
  } else if (kind == "Turned") {
    x.setConstant(.8 / std::sqrt(static_cast<double>(d - 1)));
    x(0) = .6;
  } else if (kind == "Lever") {  // |w| comes near its bound
    x(0) = .95;
    x(1) = random() % 2 == 0 ? 4e-4 : -4e-4;
  } else if (kind == "Biased") {
    for (Eigen::Index i = 1; i < d; ++i) x(i) = .2 + .03 * normal(random);
    x(0) = .92;
    x /= std::max(1.0, x.norm());
  } else {
    for (Eigen::Index i = 0; i < d; ++i) x(i) = normal(random);
    x.normalize();
  }
  return x;
}

// The kinds that long runs are played with, and how many features each has.
inline std::vector<std::pair<std::string, std::size_t>> long_contexts() {
  return {{"Alternating", 2}, {"Constant", 4}, {"Biased", 4},     {"Lever", 4},
          {"Oblique", 2},     {"Oblique", 20}, {"Isotropic", 20}, {"Biased", 20}};
}

// Contexts as words, and a matrix from its words, a row after the other.
inline Numbers encoded(const Eigen::VectorXd& x, unsigned bits) {
  Numbers words;
  for (const double value : x) words.push_back(sotto::encode(value, bits));
  return words;
}
inline Eigen::MatrixXd whole(const Numbers& words, std::size_t d, unsigned bits) {
  const auto n = static_cast<Eigen::Index>(d);
  Eigen::MatrixXd matrix(n, n);
  for (std::size_t i = 0; i < words.size(); ++i) {
    matrix(static_cast<Eigen::Index>(i / d), static_cast<Eigen::Index>(i % d)) = decode(words[i], bits);
  }
  return matrix;
}

}  // namespace sotto::apps::bandit::testing
