#include "apps/kit/learn/symmetric_eigen.h"

#include <Eigen/Eigenvalues>
#include <stdexcept>

namespace sotto::apps {
namespace {

SymmetricEigen solved(std::span<const double> lower, std::size_t dimension, int options) {
  const auto d = static_cast<Eigen::Index>(dimension);
  Eigen::MatrixXd matrix(d, d);
  const double* entry = lower.data();
  for (Eigen::Index i = 0; i < d; ++i) {
    for (Eigen::Index j = 0; j <= i; ++j) matrix(i, j) = *entry++;
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(matrix,
                                                              options);  // reads the lower triangle
  if (solver.info() != Eigen::Success) throw std::runtime_error("the eigenvalues of a matrix could not be computed");
  SymmetricEigen result;
  result.values.assign(solver.eigenvalues().begin(), solver.eigenvalues().end());
  if (options == Eigen::ComputeEigenvectors) {
    const Eigen::MatrixXd& vectors = solver.eigenvectors();  // one per column
    result.vectors.assign(vectors.data(), vectors.data() + vectors.size());
  }
  return result;
}

}  // namespace

SymmetricEigen symmetric_eigen(std::span<const double> lower, std::size_t d) {
  return solved(lower, d, Eigen::ComputeEigenvectors);
}

std::vector<double> symmetric_eigenvalues(std::span<const double> lower, std::size_t d) {
  return solved(lower, d, Eigen::EigenvaluesOnly).values;
}

}  // namespace sotto::apps
