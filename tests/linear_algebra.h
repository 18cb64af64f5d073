// Linear algebra to check results with: Eigen's, compiled and optimized only in linear_algebra.cc.
#pragma once

#include <Eigen/Core>

#include "tests/framework.h"

namespace sotto {

std::vector<double> unit_vector(std::mt19937_64& random, std::size_t features, double length = 1);

// matrix^-1 right, by a decomposition with full pivoting, which no program uses.
Eigen::VectorXd solved(const Eigen::MatrixXd& matrix, const Eigen::VectorXd& right);
Eigen::MatrixXd inverse_of(const Eigen::MatrixXd& matrix);

// Compares an inverse with the exact inverse of gram: the eigenvalues of gram^(1/2) inverse gram^(1/2).
Eigen::VectorXd eigenvalues_of(const Eigen::MatrixXd& gram, const Eigen::MatrixXd& inverse);

// The x of least norm among those with the least |rows x - right|.
Eigen::VectorXd least_norm_solution(const Eigen::MatrixXd& rows, const Eigen::VectorXd& right);
Eigen::VectorXd singular_values(const Eigen::MatrixXd& matrix);

Eigen::MatrixXd product(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b);

// Ridge regression on the steps of one arm, by the book: only the sums are updated.
struct RidgeSums {
  explicit RidgeSums(std::size_t features, double ridge = 1);

  void add(std::span<const double> row, double reward);
  [[nodiscard]] Eigen::VectorXd weights() const;
  [[nodiscard]] double mean(std::span<const double> row) const;   // row' weights
  [[nodiscard]] double width(std::span<const double> row) const;  // (row' gram^-1 row)^(1/2)
  // L^-T z where L L' = gram: has covariance gram^-1 if z has covariance I.
  [[nodiscard]] Eigen::VectorXd spread(std::span<const double> z) const;

  Eigen::MatrixXd gram;
  Eigen::VectorXd target;
};

}  // namespace sotto
