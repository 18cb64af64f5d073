// Arms made from the contexts themselves, for data without labels: each arm stands for one of k clusters and pays more
// the closer the context is to the cluster's centre.
//
// fit_kmeans: Lloyd's algorithm from the seeding of k-means++ (Arthur and Vassilvitskii, SODA 2007); equal data and
// seed give equal centres. reward_probabilities: arm a pays 1 with probability exp(-|c_a - x|^2 / (2 sigma^2)), not
// normalised over the arms (Hannun et al., figure 5, with sigma = 1/2).
//
// `values` are row-major with `columns` a row. Throws std::invalid_argument on shapes that do not fit, and when k is 0
// or more than the rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sotto::apps {

inline constexpr double arm_sigma = 0.5;

struct KMeans {
  std::size_t columns = 0;
  std::vector<double> centres;  // k x columns
  double inertia = 0;           // sum of squared distances of the rows to the centre nearest to each
  std::size_t iterations = 0;
};

[[nodiscard]] KMeans fit_kmeans(std::span<const double> values, std::size_t columns, std::size_t k, std::uint64_t seed);

// rows x k, in [0, 1].
[[nodiscard]] std::vector<double> reward_probabilities(const KMeans& arms, std::span<const double> values,
                                                       double sigma = arm_sigma);

// One independent 0/1 draw a probability.
[[nodiscard]] std::vector<double> draw_rewards(std::span<const double> probabilities, std::uint64_t seed);

}  // namespace sotto::apps
