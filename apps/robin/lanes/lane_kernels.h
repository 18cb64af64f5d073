// Inner loops of simulated clients: 8 steps of one client side by side, in one table a kind of CPU.
//
// lane_kernels() is the table of this process and follows the choice of core/ring/kernels.h (SOTTO_CPU overrides). All
// tables give equal bits: they use additions, multiplications, divisions and square roots of doubles alone, in the same
// order, none fused.
//
// A row is 8 doubles, one a step, aligned to 64 bytes. No function throws or allocates.
//
// The files of the avx2 and avx512 tables are compiled for those CPUs and therefore hold vectors of the compiler and
// raw pointers only: an inline function of the library, compiled there, might be the copy that the linker keeps for
// all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sotto::apps::robin {

struct LaneKernels {
  static constexpr std::size_t lanes = 8;
  // Words of 64 random bits that 2 rows of normal numbers take.
  static constexpr std::size_t pair_words = 2 * lanes;

  const char* name;

  // rows = 2 * pairs rows of standard normal numbers, by Box and Muller, from pairs * pair_words words.
  void (*normals)(double* rows, const std::uint64_t* words, std::size_t pairs);
  // vectors of `dimension` rows each: multiplied by scales, one a row, and divided by their norm
  void (*normalize)(double* vectors, const double* scales, std::size_t count, std::size_t dimension);
  // products: one row a vector, its inner product with `with`
  void (*products)(double* products, const double* vectors, const double* with, std::size_t count,
                   std::size_t dimension);
  // Pulls the arm of the best score, products of `estimate`; the first of equal ones. Adds to totals
  // (total_rows(dimension) rows, below) what it met, times `weights`, a row of zeros and ones. noise: of row 0 for all
  // arms if noise_rows is 1, else one row an arm. chosen: `dimension` rows.
  void (*greedy)(double* totals, double* chosen, const double* contexts, const double* means, const double* noise,
                 std::size_t noise_rows, const double* estimate, const double* weights, std::size_t arms,
                 std::size_t dimension, double reward_bound);
};

// Rows of totals: the lower triangle of the sum of x x', by rows; the sum of reward x; regret; reward; rewards clipped.
[[nodiscard]] constexpr std::size_t triangle_size(std::size_t dimension) { return dimension * (dimension + 1) / 2; }
[[nodiscard]] constexpr std::size_t total_rows(std::size_t dimension) {
  return triangle_size(dimension) + dimension + 3;
}

// The table of this process. Throws what kernels() throws.
[[nodiscard]] const LaneKernels& lane_kernels();

// All tables that this CPU runs, the slowest (baseline) first.
[[nodiscard]] std::vector<const LaneKernels*> available_lane_kernels();

extern const LaneKernels baseline_lane_kernels;
extern const LaneKernels avx2_lane_kernels;
extern const LaneKernels avx512_lane_kernels;

}  // namespace sotto::apps::robin
