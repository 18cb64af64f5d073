// Local changes of the lanes of a value: the place of each lane, sums of lanes, and public factors.
//
// All of these changes are linear, so they act alike on shares, on masks and on what the dealer knows. Nothing is sent
// or dealt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sotto/protocol/sharing/arith.h"
#include "sotto/protocol/sharing/masked.h"

namespace sotto {

// result[i] = value[from[i]], in `shape`; a lane may be taken several times. Throws std::invalid_argument unless `from`
// has an entry a lane of `shape`, each below value.lanes().
[[nodiscard]] Masked rearranged(const Masked& value, Shape shape, std::span<const std::uint32_t> from);
[[nodiscard]] Arith rearranged(const Arith& value, Shape shape, std::span<const std::uint32_t> from);

// The lanes of all parts, one after another, as one row. Throw std::invalid_argument without a part, and where scales
// or the shifts of carry terms differ.
[[nodiscard]] Masked joined(std::span<const Masked> parts);
[[nodiscard]] Arith joined(std::span<const Arith> parts);

// result[j] = the sum of all value[i] with into[i] = j, in `shape`. Throws std::invalid_argument unless `into` has an
// entry a lane of the value, each below shape.lanes(). Also throws where a masked value has carry terms: their public
// bits do not add up.
[[nodiscard]] Masked added_up(const Masked& value, Shape shape, std::span<const std::uint32_t> into);
[[nodiscard]] Arith added_up(const Arith& value, Shape shape, std::span<const std::uint32_t> into);

// result[i] = value[i] + value[mirror[i]], for the lanes of `upper`: the i-th lane of the result is the sum of the
// lanes upper[i] and mirror[i]. Both spans have shape.lanes() entries (std::invalid_argument).
[[nodiscard]] PendingProduct sum_of_lanes(const PendingProduct& value, Shape shape,
                                          std::span<const std::uint32_t> upper, std::span<const std::uint32_t> mirror);

// result[i] = factors[i % factors.size()] value[i]: public factors of the columns. Throws std::invalid_argument unless
// there is one factor a column.
[[nodiscard]] Masked weighted(const Masked& value, std::span<const std::uint64_t> factors);

// The sums of the columns, as a row; zeros where there are no rows.
[[nodiscard]] Arith column_sums(const Arith& value);

// result[i] = factors[i] value[i], with `added_scale` more fraction bits. Throws std::invalid_argument unless there is
// a factor a lane.
[[nodiscard]] Arith weighted(const Arith& value, std::span<const std::uint64_t> factors, unsigned added_scale);

// A public matrix of `shape` times the value, and the value times the matrix, with `added_scale` more fraction bits.
// Throw std::invalid_argument where shapes do not fit.
[[nodiscard]] Arith matrix_times(std::span<const std::uint64_t> matrix, Shape shape, const Arith& value,
                                 unsigned added_scale);
[[nodiscard]] Arith times_matrix(const Arith& value, std::span<const std::uint64_t> matrix, Shape shape,
                                 unsigned added_scale);

// The matrix with rows and columns exchanged.
[[nodiscard]] Masked transposed(const Masked& value);

// How the upper triangles of symmetric d x d matrices, one a row, lie in whole matrices, and the other way round.
class SymmetricLanes {
 public:
  SymmetricLanes(std::size_t matrices, std::size_t d);

  // Triangles to whole matrices of d x d entries, one a row.
  [[nodiscard]] Masked whole(const Masked& triangles) const;
  // The triangles of V + V' of whole matrices V.
  [[nodiscard]] PendingProduct both_halves(const PendingProduct& whole) const;
  // Doubles the entries off the diagonal: the dot product of a triangle with the result is the trace of a product of
  // matrices.
  [[nodiscard]] Masked doubled(const Masked& triangles) const;

 private:
  Shape triangles_;
  Shape whole_;
  std::vector<std::uint32_t> to_whole_;  // a lane of the triangle for each lane of the whole
  std::vector<std::uint32_t> upper_, mirror_;
  std::vector<std::uint64_t> weights_;
};

}  // namespace sotto
