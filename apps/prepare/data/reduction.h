// Principal components: the few directions in which data varies most.
//
// The function fit_pca centres the columns. The function fit_pca then computes the covariance of the columns (divided
// by the number of rows), and returns the eigenvectors that have the largest eigenvalues. The function `project` gives
// the coordinates of rows along the eigenvectors. The coordinates are not whitened: component i has variance
// variances[i]. The sign of each direction is chosen so that the loading with the largest magnitude is positive. Equal
// data therefore give equal components.
//
// The data is rows x columns, with components <= columns. Throws std::invalid_argument for other shapes.
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
  std::vector<double> mean;       // mean of each column
  std::vector<double> loadings;   // components x columns, orthonormal rows
  std::vector<double> variances;  // variance of each component, from the largest down
  double total_variance = 0;      // total variance of all columns, and so of all components
};

[[nodiscard]] Pca fit_pca(const RowSource& data, std::size_t components);

// The coordinates of the rows along the components: rows x components, row-major.
[[nodiscard]] std::vector<double> project(const Pca& pca, const RowSource& data);

// Divides each row of `values` (row-major, `columns` per row) by its norm. A row whose norm is at most 1e-12 of the
// largest norm has no direction, and becomes zero. Returns the number of rows that become zero.
std::size_t unit_norm(std::vector<double>& values, std::size_t columns);

// Arms made from the contexts themselves, for data without labels. Each arm belongs to one of k clusters. An arm pays
// more the closer the context is to the cluster's centre.
//
// fit_kmeans: Lloyd's algorithm from the seeding of k-means++ (Arthur and Vassilvitskii, SODA 2007). Equal data and
// equal seeds give equal centres. In reward_probabilities(), arm a pays 1 with probability exp(-|c_a - x|^2 / (2
// sigma^2)), not normalised over the arms (Hannun et al., figure 5, with sigma = 1/2).
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

// The probability that each arm pays in each row: rows x k numbers in [0, 1].
[[nodiscard]] std::vector<double> reward_probabilities(const KMeans& arms, std::span<const double> values,
                                                       double sigma = arm_sigma);

// Draws a reward of 0 or 1 for each probability, independently.
[[nodiscard]] std::vector<double> draw_rewards(std::span<const double> probabilities, std::uint64_t seed);

}  // namespace sotto::apps::prepare
