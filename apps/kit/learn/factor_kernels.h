// Inner loops on doubles for linear bandits. Each CPU type has a table of these loops. The kernels work on contexts and
// on the upper triangular matrix S, where S S' is the inverse of a bandit's matrix A (linear_bandit.h).
//
// The results of different tables differ by rounding. The rows of a matrix begin every `stride` doubles, where `stride`
// is a multiple of `block`. The entries of a row beyond the columns of the matrix are zero. All arrays except `in` of
// copy_finite are aligned to 64 bytes. No function throws or allocates.
//
// The files of the avx2 and avx512 tables must not use inline functions of a library. The linker might choose the AVX
// copy of such a function for the whole program, which must also run on CPUs without AVX.
#pragma once

#include <cstddef>
#include <vector>

namespace sotto::apps {

struct FactorKernels {
  static constexpr std::size_t block = 8;

  const char* name;

  // out[i] = in[i]; returns whether all numbers are finite
  bool (*copy_finite)(double* out, const double* in, std::size_t n);
  // returns the sum of a[i] * b[i]; n is a multiple of block
  double (*dot)(const double* a, const double* b, std::size_t n);
  // z = x S; z and x have `rows` rows of `stride` doubles, and S has `stride` columns
  void (*project)(double* z, const double* x, const double* factor, std::size_t rows, std::size_t stride);
  // Adds x x' to the lower triangle of `out`, and to some entries of the upper triangle. The rows of x begin every
  // `stride` doubles, and the rows of `out` every `out_stride` doubles. The number of rows is a multiple of `block`.
  void (*gram_add)(double* out, std::size_t out_stride, const double* x, std::size_t rows, std::size_t stride);
  // For a vector f, S S' becomes S (I - f f' / (1 + f'f)) S', and S stays triangular (Carlson 1973; Bierman 1977,
  // "Factorization Methods for Discrete Sequential Estimation", V.3). The kernel also computes gain = S f from the old
  // S. `work` has room for 2 * stride doubles. A zero entry of f leaves the corresponding column of S unchanged.
  void (*shrink)(double* factor, double* gain, const double* f, double* work, std::size_t stride);
  // Computes the product out = x B. `out` has rows x columns doubles, and x has rows x depth doubles, both without gaps
  // and not aligned. B is depth x columns, in panels of `block` columns: all rows of the first panel, then all rows of
  // the next panel. The last panel is filled up with zeros.
  void (*multiply)(double* out, const double* x, const double* panels, std::size_t rows, std::size_t depth,
                   std::size_t columns);
};

// S is stored by columns, in groups of `block` columns. A column of group g (from 0) stores only its first block * (g +
// 1) rows. The entries below the diagonal are zero.
[[nodiscard]] constexpr std::size_t padded(std::size_t n) {
  return (n + FactorKernels::block - 1) / FactorKernels::block * FactorKernels::block;
}
[[nodiscard]] constexpr std::size_t factor_column(std::size_t column) {
  constexpr std::size_t block = FactorKernels::block;
  const std::size_t group = column / block;
  return block * block * (group * (group + 1) / 2) + column % block * block * (group + 1);
}
[[nodiscard]] constexpr std::size_t factor_size(std::size_t n) { return factor_column(n); }

// The environment variable SOTTO_CPU overrides the choice of the table. Throws the errors of kernels().
[[nodiscard]] const FactorKernels& factor_kernels();

// The slowest table (baseline) is the first.
[[nodiscard]] std::vector<const FactorKernels*> available_factor_kernels();

extern const FactorKernels baseline_factor_kernels;
extern const FactorKernels avx2_factor_kernels;
extern const FactorKernels avx512_factor_kernels;

}  // namespace sotto::apps
