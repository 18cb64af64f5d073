// The mask of O3M, and the arithmetic with which one participant masks its contexts.
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

// Returns the mask: a random orthogonal d x d matrix Q, uniform by Haar's measure, row-major. Q comes from the QR
// decomposition of a matrix of independent normal entries. This function multiplies each column of Q by the sign of R's
// diagonal entry, because QR algorithms prefer some signs and Q would otherwise not be uniform (Mezzadri 2007, "How to
// generate random matrices from the classical compact groups"). Q' Q is I up to 1e-13, and Q is the same on every
// machine up to rounding. Throws std::invalid_argument for d = 0.
[[nodiscard]] std::vector<double> random_orthogonal(std::size_t d, const Seed& seed);

// Uses fresh randomness of the operating system. Throws ResourceError if the operating system provides none.
[[nodiscard]] std::vector<double> random_orthogonal(std::size_t d);

// A participant's columns of the mask, row-major d x d_j.
struct MaskBlock {
  std::size_t dimension = 0;  // d, the dimension of the whole context
  std::size_t columns = 0;    // d_j, the number of the participant's features
  std::vector<double> values;
};

// Returns the columns from `first` on. Throws std::invalid_argument if the matrix does not have these columns.
[[nodiscard]] MaskBlock block_of(std::span<const double> mask, std::size_t dimension, std::size_t first,
                                 std::size_t columns);

// Returns the largest entry of |B' B - I|.
[[nodiscard]] double distance_from_orthonormal(const MaskBlock& block);

class BlockMask {
 public:
  explicit BlockMask(const MaskBlock& block);

  // masked[r] = B contexts[r] for each row r. `contexts` is rows x d_j, `masked` is rows x d. Throws
  // std::invalid_argument if the sizes do not fit.
  void apply(std::span<const double> contexts, std::span<double> masked) const;

 private:
  std::size_t dimension_;
  std::size_t columns_;
  Doubles panels_;
};

void mask_contexts(const MaskBlock& block, std::span<const double> contexts, std::span<double> masked);

// Encodes values[i] in Z/2^64 with `fraction_bits` fraction bits, rounded to the nearest. The absolute value of each
// number must be below 2^(63 - fraction_bits).
void to_fixed(std::span<const double> values, unsigned fraction_bits, std::span<std::uint64_t> words);
void from_fixed(std::span<const std::uint64_t> words, unsigned fraction_bits, std::span<double> values);

}  // namespace sotto::apps::o3m
