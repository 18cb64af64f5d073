#include "apps/p2b/nearest.h"

#include <array>
#include <limits>
#include <stdexcept>

namespace sotto::apps {
namespace {

constexpr std::size_t lanes = 16;  // centroids that are scored at once, in registers

}  // namespace

NearestCentroid::NearestCentroid(std::span<const double> centroids, std::size_t dimension,
                                 std::uint32_t units)
    : dimension_(dimension), codes_(centroids.size() / dimension) {
  if (codes_ == 0 || centroids.size() % dimension != 0) {
    throw std::invalid_argument("NearestCentroid: the centroids do not fill rows");
  }
  blocks_ = (codes_ + lanes - 1) / lanes;
  // Places beyond the last centroid are infinitely far away.
  table_.assign(blocks_ * (dimension_ + 1) * lanes, 0);
  for (std::size_t c = 0; c < blocks_ * lanes; ++c) {
    double* column = table_.data() + c / lanes * (dimension_ + 1) * lanes + c % lanes;
    if (c >= codes_) {
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
  Found best{0, std::numeric_limits<double>::infinity()};
  const double* row = table_.data();
  for (std::size_t b = 0; b < blocks_; ++b) {
    std::array<double, lanes> score;
    for (std::size_t l = 0; l < lanes; ++l) score[l] = row[l];
    row += lanes;
    for (std::size_t i = 0; i < dimension_; ++i, row += lanes) {
      const double x = counts[i];
      for (std::size_t l = 0; l < lanes; ++l) score[l] -= x * row[l];
    }
    double least = score[0];
    for (std::size_t l = 1; l < lanes; ++l) least = score[l] < least ? score[l] : least;
    if (least >= best.score) continue;
    std::size_t l = 0;
    while (score[l] != least) ++l;
    best = {static_cast<std::uint32_t>(b * lanes + l), least};
  }
  return best;
}

}  // namespace sotto::apps
