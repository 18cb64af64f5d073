// Finds the centroid nearest to a point of the grid: the centroid c with the smallest |c|^2 / 2 - c.x. If several
// centroids are equally near, finds the first of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "apps/kit/learn/doubles.h"
#include "apps/p2b/nearest_kernels.h"

namespace sotto::apps::p2b {

class NearestCentroid {
 public:
  // `centroids` is row-major and has at least one row. A point is a vector of counts that sum to `units`.
  NearestCentroid(std::span<const double> centroids, std::size_t dimension, std::uint32_t units,
                  const NearestKernels& kernels = nearest_kernels());

  struct Found {
    std::uint32_t code;
    double score;  // units (|c|^2 / 2) - c.counts; with x = counts / units, |x - c|^2 = |x|^2 + 2 score / units
  };
  [[nodiscard]] Found find(std::span<const std::uint32_t> counts) const;

 private:
  std::size_t dimension_;
  std::size_t codes_;
  std::size_t blocks_;
  Doubles table_;
  const NearestKernels* kernels_;
};

}  // namespace sotto::apps::p2b
