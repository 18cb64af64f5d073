// Local changes of the lanes of a value: the position of each lane, sums of lanes, and public factors.
//
// All of these changes are linear, so they act alike on shares, on masks and on the dealer's values. Nothing is sent or
// dealt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sotto/protocol/sharing/arith.h"
#include "sotto/protocol/sharing/masked.h"

namespace sotto {

// result[i] = value[from[i]], in `shape`; a lane may be taken several times. Throws std::invalid_argument unless `from`
// has one entry for each lane of `shape`, and each entry is below value.lanes().
[[nodiscard]] Masked rearranged(const Masked& value, Shape shape, std::span<const std::uint32_t> from);
[[nodiscard]] Arith rearranged(const Arith& value, Shape shape, std::span<const std::uint32_t> from);

// The lanes of all parts, one after another, as one row. Throws std::invalid_argument if there is no part, or if scales
// or the shifts of carry terms differ.
[[nodiscard]] Masked joined(std::span<const Masked> parts);
[[nodiscard]] Arith joined(std::span<const Arith> parts);

// result[j] = the sum of all value[i] with into[i] = j, in `shape`. Throws std::invalid_argument unless `into` has one
// entry for each lane of the value, and each entry is below shape.lanes(). Also throws if a masked value has carry
// terms, because the public bits of carry terms cannot be summed.
[[nodiscard]] Masked added_up(const Masked& value, Shape shape, std::span<const std::uint32_t> into);
[[nodiscard]] Arith added_up(const Arith& value, Shape shape, std::span<const std::uint32_t> into);

// result[i] = value[upper[i]] + value[mirror[i]]: the i-th lane of the result is the sum of the lanes upper[i] and
// mirror[i]. `upper` and `mirror` have shape.lanes() entries each (std::invalid_argument).
[[nodiscard]] PendingProduct sum_of_lanes(const PendingProduct& value, Shape shape,
                                          std::span<const std::uint32_t> upper, std::span<const std::uint32_t> mirror);

// result[i] = factors[i % factors.size()] value[i]: public factors of the columns. Throws std::invalid_argument unless
// there is exactly one factor per column.
[[nodiscard]] Masked weighted(const Masked& value, std::span<const std::uint64_t> factors);

// The sums of the columns, as a row; zeros if there are no rows.
[[nodiscard]] Arith column_sums(const Arith& value);

// result[i] = factors[i] value[i], with `added_scale` more fraction bits. Throws std::invalid_argument unless there is
// exactly one factor per lane.
[[nodiscard]] Arith weighted(const Arith& value, std::span<const std::uint64_t> factors, unsigned added_scale);

// A public matrix of `shape` times the value, and the value times the matrix, with `added_scale` more fraction bits.
// Throw std::invalid_argument if shapes do not fit.
[[nodiscard]] Arith matrix_times(std::span<const std::uint64_t> matrix, Shape shape, const Arith& value,
                                 unsigned added_scale);
[[nodiscard]] Arith times_matrix(const Arith& value, std::span<const std::uint64_t> matrix, Shape shape,
                                 unsigned added_scale);

// The matrix with rows and columns exchanged.
[[nodiscard]] Masked transposed(const Masked& value);

// Converts the upper triangles of symmetric d x d matrices to whole matrices, and whole matrices to triangles. Each
// matrix is one row.
class SymmetricLanes {
 public:
  SymmetricLanes(std::size_t matrices, std::size_t d);

  // Turns triangles into whole matrices of d x d entries, one matrix per row.
  [[nodiscard]] Masked whole(const Masked& triangles) const;
  // The triangles of V + V', for whole matrices V.
  [[nodiscard]] PendingProduct both_halves(const PendingProduct& whole) const;
  // Doubles the entries off the diagonal: the dot product of another triangle with the result is the trace of the
  // product of both matrices.
  [[nodiscard]] Masked doubled(const Masked& triangles) const;

 private:
  Shape triangles_;
  Shape whole_;
  std::vector<std::uint32_t> to_whole_;  // the lane of the triangle for each lane of the whole matrix
  std::vector<std::uint32_t> upper_, mirror_;
  std::vector<std::uint64_t> weights_;
};

}  // namespace sotto
