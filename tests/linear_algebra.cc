#include "tests/linear_algebra.h"

#include <Eigen/Dense>

namespace sotto {
namespace {

Eigen::Map<const Eigen::VectorXd> vector_of(std::span<const double> values) {
  return {values.data(), static_cast<Eigen::Index>(values.size())};
}

}  // namespace

std::vector<double> unit_vector(std::mt19937_64& random, std::size_t features, double length) {
  std::normal_distribution<double> normal;
  Eigen::VectorXd x(static_cast<Eigen::Index>(features));
  for (double& value : x) value = normal(random);
  x *= length / x.norm();
  return {x.begin(), x.end()};
}

Eigen::VectorXd solved(const Eigen::MatrixXd& matrix, const Eigen::VectorXd& right) {
  return matrix.fullPivLu().solve(right);
}

Eigen::MatrixXd inverse_of(const Eigen::MatrixXd& matrix) { return matrix.fullPivLu().inverse(); }

Eigen::VectorXd eigenvalues_of(const Eigen::MatrixXd& gram, const Eigen::MatrixXd& inverse) {
  const Eigen::MatrixXd root = gram.llt().matrixL();
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(root.transpose() * inverse * root).eigenvalues();
}

Eigen::VectorXd least_norm_solution(const Eigen::MatrixXd& rows, const Eigen::VectorXd& right) {
  return rows.completeOrthogonalDecomposition().solve(right);
}

Eigen::VectorXd singular_values(const Eigen::MatrixXd& matrix) { return matrix.jacobiSvd().singularValues(); }

Eigen::MatrixXd product(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) { return a * b; }

RidgeSums::RidgeSums(std::size_t features, double ridge) {
  const auto d = static_cast<Eigen::Index>(features);
  gram = ridge * Eigen::MatrixXd::Identity(d, d);
  target = Eigen::VectorXd::Zero(d);
}

void RidgeSums::add(std::span<const double> row, double reward) {
  const auto x = vector_of(row);
  gram += x * x.transpose();
  target += reward * x;
}

Eigen::VectorXd RidgeSums::weights() const { return solved(gram, target); }

double RidgeSums::mean(std::span<const double> row) const { return vector_of(row).dot(weights()); }

double RidgeSums::width(std::span<const double> row) const {
  return std::sqrt(vector_of(row).dot(solved(gram, vector_of(row))));
}

Eigen::VectorXd RidgeSums::spread(std::span<const double> z) const { return gram.llt().matrixU().solve(vector_of(z)); }

}  // namespace sotto
