#include "sotto/apps/p2b/projections.h"

#include <numeric>
#include <stdexcept>

#include "sotto/apps/kit/learn/step_stream.h"

namespace sotto::apps {
namespace {

// The sum of eight uniform numbers of 8 bits each, about its mean: normal enough for directions.
std::int64_t bell(StepStream& stream) {
  std::uint64_t word = stream.next();
  std::int64_t sum = -8 * 255 / 2;
  for (int i = 0; i < 8; ++i, word >>= 8) sum += static_cast<std::int64_t>(word & 0xFF);
  return sum;
}

}  // namespace

Projections::Projections(std::size_t dimension, std::size_t bits, std::uint64_t seed)
    : dimension_(dimension), bits_(bits), normals_(dimension * bits) {
  for (std::size_t b = 0; b < bits; ++b) {
    StepStream stream(seed, b);
    std::int64_t* normal = normals_.data() + b * dimension;
    for (std::size_t i = 0; i < dimension; ++i) normal[i] = bell(stream);
    // Through the centre: all of the simplex's centre's features are equal, so the normal must sum to 0. Times d, it
    // can in whole numbers.
    const std::int64_t sum = std::accumulate(normal, normal + dimension, std::int64_t{0});
    for (std::size_t i = 0; i < dimension; ++i) {
      normal[i] = normal[i] * static_cast<std::int64_t>(dimension) - sum;
    }
  }
}

std::uint32_t Projections::code(std::span<const std::uint32_t> counts) const {
  if (counts.size() != dimension_) throw std::invalid_argument("Projections: one count a feature");
  std::uint32_t code = 0;
  for (std::size_t b = 0; b < bits_; ++b) {
    std::int64_t side = 0;
    const std::int64_t* normal = normals_.data() + b * dimension_;
    for (std::size_t i = 0; i < dimension_; ++i) side += normal[i] * counts[i];
    code |= side > 0 ? std::uint32_t{1} << b : 0;
  }
  return code;
}

}  // namespace sotto::apps
