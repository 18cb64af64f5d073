// The nearest of k centroids to a point of the grid, by the smallest |c|^2 / 2 - c.x: a loop over
// centroids that vectorises, in tables of d rows. The first among equals, in double precision.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sotto::apps {

class NearestCentroid {
 public:
  NearestCentroid() = default;
  // `centroids`: row-major, `dimension` a row, at least one. Points are counts that sum to `units`.
  NearestCentroid(std::span<const double> centroids, std::size_t dimension, std::uint32_t units);

  struct Found {
    std::uint32_t code;
    double score;  // units (|c|^2 / 2) - c.counts: |x - c|^2 = |x|^2 + 2 score / units
  };
  [[nodiscard]] Found find(std::span<const std::uint32_t> counts) const;

 private:
  std::size_t dimension_ = 0;
  std::size_t codes_ = 0;
  std::size_t blocks_ = 0;
  // For each block of centroids: a row of half norms, then one of each feature.
  std::vector<double> table_;
};

}  // namespace sotto::apps
