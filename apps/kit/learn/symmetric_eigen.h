// Eigenvalues and eigenvectors of a small symmetric matrix.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace sotto::apps {

struct SymmetricEigen {
  std::vector<double> values;   // ascending
  std::vector<double> vectors;  // one eigenvector per row
};

// `lower` is the lower triangle row by row, d (d + 1) / 2 numbers. Throws std::runtime_error if they are not finite.
[[nodiscard]] SymmetricEigen symmetric_eigen(std::span<const double> lower, std::size_t d);
[[nodiscard]] std::vector<double> symmetric_eigenvalues(std::span<const double> lower, std::size_t d);

}  // namespace sotto::apps
