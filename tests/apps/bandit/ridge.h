// What the tests of the bandit compute by other means: unit vectors, and ridge regression by Eigen.
#pragma once

#include <Eigen/Dense>

#include "tests/apps/support.h"

namespace sotto::apps {

inline std::vector<double> unit_vector(std::mt19937_64& random, std::size_t features, double length = 1) {
  std::normal_distribution<double> normal;
  Eigen::VectorXd x(static_cast<Eigen::Index>(features));
  for (double& value : x) value = normal(random);
  x *= length / x.norm();
  return {x.begin(), x.end()};
}

// Sums of the steps of one arm.
struct RidgeSums {
  explicit RidgeSums(std::size_t features)
      : gram(Eigen::MatrixXd::Identity(static_cast<Eigen::Index>(features), static_cast<Eigen::Index>(features))),
        target(Eigen::VectorXd::Zero(static_cast<Eigen::Index>(features))) {}

  void add(std::span<const double> row, double reward) {
    const Eigen::Map<const Eigen::VectorXd> x(row.data(), target.size());
    gram += x * x.transpose();
    target += reward * x;
  }
  [[nodiscard]] Eigen::VectorXd weights() const { return gram.ldlt().solve(target); }

  Eigen::MatrixXd gram;
  Eigen::VectorXd target;
};

}  // namespace sotto::apps
