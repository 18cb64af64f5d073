// Locality-sensitive hashing of the grid: each bit of a code is the side of a random plane through the grid's centre on
// which a point lies. The planes have whole numbers, approximately normal, so that sides are exact and the same on
// every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sotto::apps {

class Projections {
 public:
  Projections() = default;
  Projections(std::size_t dimension, std::size_t bits, std::uint64_t seed);

  [[nodiscard]] std::uint32_t code(std::span<const std::uint32_t> counts) const;

 private:
  std::size_t dimension_ = 0;
  std::size_t bits_ = 0;
  std::vector<std::int64_t> normals_;  // bits x dimension, each row sums to 0 when times d
};

}  // namespace sotto::apps
