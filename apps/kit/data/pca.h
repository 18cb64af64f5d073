// Principal components: the few directions in which data varies most.
//
// fit_pca centres the columns and takes the eigenvectors of their covariance (divided by the number of rows) with the
// largest eigenvalues; project gives the coordinates along them, which are not whitened: component i has variance
// variances[i]. A direction's sign is chosen so that its loading of largest magnitude is positive, so that equal data
// give equal components.
//
// Shapes: data rows x columns, components <= columns. Throws std::invalid_argument on shapes that do not fit.
#pragma once

#include <cstddef>
#include <vector>

#include "sotto/apps/kit/data/raw_data.h"

namespace sotto::apps {

struct Pca {
  std::size_t columns = 0;
  std::size_t components = 0;
  std::vector<double> mean;       // of each column
  std::vector<double> loadings;   // components x columns, orthonormal rows
  std::vector<double> variances;  // of each component, not increasing
  double total_variance = 0;      // of all columns, and so of all components
};

[[nodiscard]] Pca fit_pca(const RowSource& data, std::size_t components);

// rows x components, row-major.
[[nodiscard]] std::vector<double> project(const Pca& pca, const RowSource& data);

// Divides each row of `values` (row-major, `columns` a row) by its norm. A row whose norm is nothing beside the largest
// (1e-12 of it) has no direction: it becomes zero. Returns how many did.
std::size_t unit_norm(std::vector<double>& values, std::size_t columns);

}  // namespace sotto::apps
