// Finds the nearest of k centroids to a point of the grid: the one with the smallest |c|^2 / 2 - c.x, and among equals
// the first. The search computes in double precision, and the loop over centroids vectorises.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "apps/kit/learn/doubles.h"
#include "apps/p2b/nearest_kernels.h"

namespace sotto::apps::p2b {

class NearestCentroid {
 public:
  // `centroids` is row-major with `dimension` numbers a row and has at least one row. Points are counts that sum to
  // `units`.
  NearestCentroid(std::span<const double> centroids, std::size_t dimension, std::uint32_t units,
                  const NearestKernels& kernels = nearest_kernels());

  struct Found {
    std::uint32_t code;
    double score;  // units (|c|^2 / 2) - c.counts: |x - c|^2 = |x|^2 + 2 score / units
  };
  [[nodiscard]] Found find(std::span<const std::uint32_t> counts) const;

 private:
  std::size_t dimension_;
  std::size_t codes_;
  std::size_t blocks_;
  // For each block of centroids: a row of |c|^2 / 2, then a row for each feature.
  Doubles table_;
  const NearestKernels* kernels_;
};

}  // namespace sotto::apps::p2b
