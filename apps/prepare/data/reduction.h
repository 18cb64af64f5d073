// Principal components. fit_pca() subtracts the mean of each column, and computes the covariance of the columns
// (divided by the number of rows). The function returns the eigenvectors with the largest eigenvalues. The coordinates
// of rows are not whitened: component i has variance variances[i]. The sign of each direction makes the loading with
// the largest magnitude positive, so equal data give equal components.
//
// Throws std::invalid_argument unless the data is rows x columns with components <= columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "apps/prepare/data/raw_data.h"

namespace sotto::apps::prepare {

struct Pca {
  std::size_t columns = 0;
  std::size_t components = 0;
  std::vector<double> mean;
  std::vector<double> loadings;   // components x columns, orthonormal rows
  std::vector<double> variances;  // from the largest down
  double total_variance = 0;
};

[[nodiscard]] Pca fit_pca(const RowSource& data, std::size_t components);

// Row-major: rows x components.
[[nodiscard]] std::vector<double> project(const Pca& pca, const RowSource& data);

// Divides each row of `values` (row-major, `columns` per row) by its norm. A row whose norm is at most 1e-12 of the
// largest norm has no direction, and becomes zero. Returns the number of rows that become zero.
std::size_t unit_norm(std::vector<double>& values, std::size_t columns);

// If data has no labels, k-means makes the arms from the contexts: each centre is an arm.
//
// fit_kmeans() runs Lloyd's algorithm from the seeding of k-means++ (Arthur and Vassilvitskii, SODA 2007). Equal data
// and equal seeds give equal centres. In a row x, the arm with the centre c has a reward of 1 with probability exp(-|c
// - x|^2 / (2 sigma^2)) (Hannun et al., figure 5, with sigma = 1/2). These probabilities need not add up to 1 over the
// arms.
//
// `values` are row-major with `columns` per row. Throws std::invalid_argument on shapes that do not fit, and if k is 0
// or above the number of rows.
inline constexpr double arm_sigma = 0.5;

struct KMeans {
  std::size_t columns = 0;
  std::vector<double> centres;  // k x columns
  double inertia = 0;           // sum of squared distances of the rows to their nearest centres
  std::size_t iterations = 0;
};

[[nodiscard]] KMeans fit_kmeans(std::span<const double> values, std::size_t columns, std::size_t k, std::uint64_t seed);

// Returns the probability of a reward of 1, for each row and each of the k arms.
[[nodiscard]] std::vector<double> reward_probabilities(const KMeans& arms, std::span<const double> values,
                                                       double sigma = arm_sigma);

[[nodiscard]] std::vector<double> draw_rewards(std::span<const double> probabilities, std::uint64_t seed);

}  // namespace sotto::apps::prepare
