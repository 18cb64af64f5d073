// Eigenvalues and eigenvectors of a small symmetric matrix.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace sotto::apps {

struct SymmetricEigen {
  std::vector<double> values;   // ascending
  std::vector<double> vectors;  // d x d: row i is the unit eigenvector of values[i]; may be empty
};

// `lower` has the lower triangle of the matrix row by row, d (d + 1) / 2 numbers. Throws std::runtime_error if these
// numbers are not finite.
[[nodiscard]] SymmetricEigen symmetric_eigen(std::span<const double> lower, std::size_t d);
[[nodiscard]] std::vector<double> symmetric_eigenvalues(std::span<const double> lower, std::size_t d);

}  // namespace sotto::apps
