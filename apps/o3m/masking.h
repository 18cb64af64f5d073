// The mask of O3M, and the arithmetic of one participant's masking, on plain numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "apps/kit/learn/doubles.h"

namespace sotto {
class Seed;
}

namespace sotto::apps::o3m {

// A random orthogonal matrix Q, the mask, distributed by Haar's measure, the uniform one: QR of a matrix of independent
// normal entries, each column of Q multiplied by the sign of R's diagonal, without which QR algorithms favour some
// signs (Mezzadri 2007, "How to generate random matrices from the classical compact groups"). Row-major d x d; Q' Q = I
// but for 1e-13; the same on every machine but for rounding. d = 0 is std::invalid_argument.
[[nodiscard]] std::vector<double> random_orthogonal(std::size_t d, const Seed& seed);

// From fresh randomness of the operating system. Throws ResourceError where that gives none.
[[nodiscard]] std::vector<double> random_orthogonal(std::size_t d);

// A participant's columns of the mask, row-major d x d_j.
struct MaskBlock {
  std::size_t dimension = 0;  // d
  std::size_t columns = 0;    // d_j
  std::vector<double> values;
};

// Columns first .. first + columns - 1 of a row-major d x d matrix. std::invalid_argument if there are no such columns.
[[nodiscard]] MaskBlock block_of(std::span<const double> mask, std::size_t dimension, std::size_t first,
                                 std::size_t columns);

// The largest entry of |B' B - I|: 0 if the columns are orthonormal.
[[nodiscard]] double distance_from_orthonormal(const MaskBlock& block);

// A block laid out to be multiplied with: masks many contexts.
class BlockMask {
 public:
  explicit BlockMask(const MaskBlock& block);

  // masked[r] = B contexts[r] for each row r: `contexts` is rows x d_j, `masked` rows x d. std::invalid_argument if the
  // sizes do not fit.
  void apply(std::span<const double> contexts, std::span<double> masked) const;

 private:
  std::size_t dimension_;
  std::size_t columns_;
  Doubles panels_;  // of the transposed block: FactorKernels::multiply
};

// The same once.
void mask_contexts(const MaskBlock& block, std::span<const double> contexts, std::span<double> masked);

// words[i] = values[i] at that many fraction bits in Z/2^64, rounded to the nearest. The values are below 2^(63 -
// fraction_bits) in size: callers have checked the bounds.
void to_fixed(std::span<const double> values, unsigned fraction_bits, std::span<std::uint64_t> words);
void from_fixed(std::span<const std::uint64_t> words, unsigned fraction_bits, std::span<double> values);

}  // namespace sotto::apps::o3m
