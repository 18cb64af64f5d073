// Inner loops of simulated clients. Each loop computes 8 steps of one client at once; each kind of CPU has its own
// table of loops.
//
// lane_kernels() is the table of this process, chosen as in core/ring/kernels.h (SOTTO_CPU overrides the choice). All
// tables return the same bits. All tables use only additions, multiplications, divisions and square roots of doubles,
// in the same order, and fuse none of them.
//
// A row is 8 doubles, one for each step, aligned to 64 bytes. No function throws or allocates.
//
// The files of the avx2 and avx512 tables are compiled for CPUs with AVX2 and AVX-512, so these files use only raw
// pointers and vectors of the compiler. If an inline function of a library were compiled in one of these files, the
// linker might keep this copy of the function for all callers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sotto::apps::robin {

struct LaneKernels {
  static constexpr std::size_t lanes = 8;
  // The number of words of 64 random bits from which 2 rows of normal numbers are made.
  static constexpr std::size_t pair_words = 2 * lanes;

  const char* name;

  // Fills 2 * pairs rows with standard normal numbers, made by the Box-Muller method from pairs * pair_words words.
  void (*normals)(double* rows, const std::uint64_t* words, std::size_t pairs);
  // A vector has `dimension` rows, and `scales` has a factor for each row. Multiplies each row of each vector by the
  // row's factor, and then divides each vector by its norm.
  void (*normalize)(double* vectors, const double* scales, std::size_t count, std::size_t dimension);
  // Writes one row for each vector to `products`: the inner product of the vector with `with`.
  void (*products)(double* products, const double* vectors, const double* with, std::size_t count,
                   std::size_t dimension);
  // An arm's score is the inner product of its context with `estimate`. Pulls the arm with the best score; among equal
  // scores the first arm. Multiplies the results by `weights`, a row of zeros and ones, and adds them to `totals`
  // (total_rows(dimension) rows, see below). `noise` has one row for all arms if noise_rows is 1, otherwise one row for
  // each arm. `chosen` receives the context of the pulled arm, in `dimension` rows.
  void (*greedy)(double* totals, double* chosen, const double* contexts, const double* means, const double* noise,
                 std::size_t noise_rows, const double* estimate, const double* weights, std::size_t arms,
                 std::size_t dimension, double reward_bound);
};

// The rows of `totals`, in order: the lower triangle of the sum of x x', by rows; the sum of reward x; regret; reward;
// number of clipped rewards.
[[nodiscard]] constexpr std::size_t triangle_size(std::size_t dimension) { return dimension * (dimension + 1) / 2; }
[[nodiscard]] constexpr std::size_t total_rows(std::size_t dimension) {
  return triangle_size(dimension) + dimension + 3;
}

// The table of this process. Throws the same errors as kernels().
[[nodiscard]] const LaneKernels& lane_kernels();

// All tables that this CPU can run, the slowest (baseline) first.
[[nodiscard]] std::vector<const LaneKernels*> available_lane_kernels();

extern const LaneKernels baseline_lane_kernels;
extern const LaneKernels avx2_lane_kernels;
extern const LaneKernels avx512_lane_kernels;

}  // namespace sotto::apps::robin
