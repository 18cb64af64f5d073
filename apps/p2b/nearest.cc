#include "apps/p2b/nearest.h"

#include <limits>
#include <stdexcept>

#include "apps/p2b/grid.h"

namespace sotto::apps::p2b {
namespace {

constexpr std::size_t lanes = nearest_lanes;

std::size_t rows_of(std::size_t values, std::size_t dimension) {
  if (dimension == 0 || values == 0 || values % dimension != 0) {
    throw std::invalid_argument("NearestCentroid: the centroids do not fill rows");
  }
  return values / dimension;
}

}  // namespace

NearestCentroid::NearestCentroid(std::span<const double> centroids, std::size_t dimension, std::uint32_t units,
                                 const NearestKernels& kernels)
    : dimension_(dimension),
      codes_(rows_of(centroids.size(), dimension)),
      blocks_((codes_ + lanes - 1) / lanes),
      table_(blocks_ * (dimension_ + 1) * lanes),
      kernels_(&kernels) {
  for (std::size_t c = 0; c < blocks_ * lanes; ++c) {
    double* column = table_.data() + c / lanes * (dimension_ + 1) * lanes + c % lanes;
    if (c >= codes_) {  // the lanes after the last centroid are infinitely far away
      column[0] = std::numeric_limits<double>::infinity();
      continue;
    }
    double norm = 0;
    for (std::size_t i = 0; i < dimension_; ++i) {
      const double value = centroids[c * dimension_ + i];
      norm += value * value;
      column[(i + 1) * lanes] = value;
    }
    column[0] = norm / 2 * units;
  }
}

NearestCentroid::Found NearestCentroid::find(std::span<const std::uint32_t> counts) const {
  if (counts.size() != dimension_) {
    throw std::invalid_argument("NearestCentroid: one count a feature");
  }
  SmallBuffer<double> buffer(dimension_);
  double* point = buffer.values().data();
  for (std::size_t i = 0; i < dimension_; ++i) point[i] = counts[i];
  std::uint64_t code = 0;
  double score = 0;
  kernels_->find(table_.data(), blocks_, dimension_, point, &code, &score);
  return {static_cast<std::uint32_t>(code), score};
}

}  // namespace sotto::apps::p2b
