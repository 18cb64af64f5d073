// Linear algebra with which tests check results. Only linear_algebra.cc compiles and optimizes Eigen.
#pragma once

#include <Eigen/Core>

#include "tests/framework.h"

namespace sotto {

std::vector<double> unit_vector(std::mt19937_64& random, std::size_t features, double length = 1);

// Returns the x with matrix x = right, by a decomposition with full pivoting. No program of the project uses this
// decomposition.
Eigen::VectorXd solved(const Eigen::MatrixXd& matrix, const Eigen::VectorXd& right);
Eigen::MatrixXd inverse_of(const Eigen::MatrixXd& matrix);

// Returns the eigenvalues of gram^(1/2) inverse gram^(1/2), which are 1 for the exact inverse.
Eigen::VectorXd eigenvalues_of(const Eigen::MatrixXd& gram, const Eigen::MatrixXd& inverse);

// Returns the x with the least |rows x - right|. If there are several such x, returns the x of least norm.
Eigen::VectorXd least_norm_solution(const Eigen::MatrixXd& rows, const Eigen::VectorXd& right);
Eigen::VectorXd singular_values(const Eigen::MatrixXd& matrix);

Eigen::MatrixXd product(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b);

// Ridge regression on the steps of one arm in its textbook form, which updates only the sums.
struct RidgeSums {
  explicit RidgeSums(std::size_t features, double ridge = 1);

  void add(std::span<const double> row, double reward);
  [[nodiscard]] Eigen::VectorXd weights() const;
  [[nodiscard]] double mean(std::span<const double> row) const;   // row' weights
  [[nodiscard]] double width(std::span<const double> row) const;  // (row' gram^-1 row)^(1/2)
  // L^-T z, where L L' = gram. The result has the covariance gram^-1 if z has the covariance I.
  [[nodiscard]] Eigen::VectorXd spread(std::span<const double> z) const;

  Eigen::MatrixXd gram;
  Eigen::VectorXd target;
};

}  // namespace sotto
