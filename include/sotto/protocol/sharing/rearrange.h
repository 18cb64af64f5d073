// Local, linear changes of the lanes of a value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sotto/protocol/sharing/arith.h"
#include "sotto/protocol/sharing/masked.h"

namespace sotto {

// result[i] = value[from[i]], in `shape`. Throws std::invalid_argument unless `from` has one entry for each lane of
// `shape`, below value.lanes().
[[nodiscard]] Masked rearranged(const Masked& value, Shape shape, std::span<const std::uint32_t> from);
[[nodiscard]] Arith rearranged(const Arith& value, Shape shape, std::span<const std::uint32_t> from);

// The lanes of all parts, one after another, as one row. Throws std::invalid_argument if there is no part, or if scales
// or the shifts of carry terms differ.
[[nodiscard]] Masked joined(std::span<const Masked> parts);
[[nodiscard]] Arith joined(std::span<const Arith> parts);

// result[j] = the sum of all value[i] with into[i] = j, in `shape`. Throws std::invalid_argument unless `into` has one
// entry for each lane of the value, each below shape.lanes(). Throws std::invalid_argument also for carry terms,
// because public bits k cannot be added up.
[[nodiscard]] Masked added_up(const Masked& value, Shape shape, std::span<const std::uint32_t> into);
[[nodiscard]] Arith added_up(const Arith& value, Shape shape, std::span<const std::uint32_t> into);

// result[i] = value[upper[i]] + value[mirror[i]]. Throws std::invalid_argument unless both lists have shape.lanes()
// entries.
[[nodiscard]] PendingProduct sum_of_lanes(const PendingProduct& value, Shape shape,
                                          std::span<const std::uint32_t> upper, std::span<const std::uint32_t> mirror);

// Multiplies each column by its public factor. Throws std::invalid_argument unless each column has a factor.
[[nodiscard]] Masked weighted(const Masked& value, std::span<const std::uint64_t> factors);

[[nodiscard]] Arith column_sums(const Arith& value);

// result[i] = factors[i] value[i], with `added_scale` more fraction bits. Throws std::invalid_argument unless each lane
// has a factor.
[[nodiscard]] Arith weighted(const Arith& value, std::span<const std::uint64_t> factors, unsigned added_scale);

// The products matrix * value and value * matrix, for a public matrix with the shape `shape`. The results have
// `added_scale` more fraction bits than the value. Throw std::invalid_argument if shapes do not fit.
[[nodiscard]] Arith matrix_times(std::span<const std::uint64_t> matrix, Shape shape, const Arith& value,
                                 unsigned added_scale);
[[nodiscard]] Arith times_matrix(const Arith& value, std::span<const std::uint64_t> matrix, Shape shape,
                                 unsigned added_scale);

[[nodiscard]] Masked transposed(const Masked& value);

// Conversions between upper triangles and whole symmetric d x d matrices, one matrix per row.
class SymmetricLanes {
 public:
  SymmetricLanes(std::size_t matrices, std::size_t d);

  [[nodiscard]] Masked whole(const Masked& triangles) const;
  // The triangles of V + V', for whole matrices V.
  [[nodiscard]] PendingProduct both_halves(const PendingProduct& whole) const;
  // Doubles the entries off the diagonal: the dot product with another triangle is then the trace of the product of
  // both matrices.
  [[nodiscard]] Masked doubled(const Masked& triangles) const;

 private:
  Shape triangles_;
  Shape whole_;
  std::vector<std::uint32_t> to_whole_;
  std::vector<std::uint32_t> upper_, mirror_;
  std::vector<std::uint64_t> weights_;
};

}  // namespace sotto
