// The mask of O3M, and the arithmetic by which one participant masks its contexts. All functions compute on plain
// numbers, not on shares.
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

// The mask: a random orthogonal d x d matrix Q, uniform by Haar's measure, row-major. Q comes from the QR decomposition
// of a matrix of independent normal entries. Each column of Q is multiplied by the sign of R's diagonal entry. Without
// this multiplication, the mask would not be uniform, because QR algorithms favour some signs (Mezzadri 2007, "How to
// generate random matrices from the classical compact groups"). Q' Q is I up to 1e-13, and Q is the same on every
// machine up to rounding. Throws std::invalid_argument for d = 0.
[[nodiscard]] std::vector<double> random_orthogonal(std::size_t d, const Seed& seed);

// Draws a mask from fresh randomness of the operating system. Throws ResourceError if the operating system gives no
// randomness.
[[nodiscard]] std::vector<double> random_orthogonal(std::size_t d);

// A participant's columns of the mask, row-major d x d_j.
struct MaskBlock {
  std::size_t dimension = 0;  // d
  std::size_t columns = 0;    // d_j
  std::vector<double> values;
};

// Returns the columns first .. first + columns - 1 of a row-major d x d matrix. Throws std::invalid_argument if the
// matrix does not have all these columns.
[[nodiscard]] MaskBlock block_of(std::span<const double> mask, std::size_t dimension, std::size_t first,
                                 std::size_t columns);

// The largest entry of |B' B - I|: 0 if the columns are orthonormal.
[[nodiscard]] double distance_from_orthonormal(const MaskBlock& block);

// A block of the mask in a layout that is fast to multiply with, for masking many contexts.
class BlockMask {
 public:
  explicit BlockMask(const MaskBlock& block);

  // masked[r] = B contexts[r] for each row r: `contexts` is rows x d_j, `masked` is rows x d. Throws
  // std::invalid_argument if the sizes do not fit.
  void apply(std::span<const double> contexts, std::span<double> masked) const;

 private:
  std::size_t dimension_;
  std::size_t columns_;
  Doubles panels_;  // the transposed block in the layout of FactorKernels::multiply
};

// Masks contexts in a single call, without the layout of BlockMask.
void mask_contexts(const MaskBlock& block, std::span<const double> contexts, std::span<double> masked);

// Encodes values[i] as words[i] in Z/2^64 with `fraction_bits` fraction bits, rounded to the nearest. The caller has
// checked that the magnitude of each value is below 2^(63 - fraction_bits).
void to_fixed(std::span<const double> values, unsigned fraction_bits, std::span<std::uint64_t> words);
void from_fixed(std::span<const std::uint64_t> words, unsigned fraction_bits, std::span<double> values);

}  // namespace sotto::apps::o3m
