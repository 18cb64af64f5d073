// Inner loops of simulated clients. Each loop computes 8 steps of one client at once.
//
// The functions of all tables return exactly the same results. They use only additions, multiplications, divisions and
// square roots of doubles, in the same order, and no fused operations.
//
// A row is 8 doubles, one for each step, aligned to 64 bytes. No function throws or allocates.
//
// The files of the avx2 and avx512 tables use only raw pointers and vector types of the compiler. If the files called
// an inline function of a library, the linker might choose the copy compiled with AVX for the whole program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sotto::apps::robin {

struct LaneKernels {
  static constexpr std::size_t lanes = 8;
  static constexpr std::size_t pair_words = 2 * lanes;

  const char* name;

  // Fills 2 * pairs rows with standard normal numbers (Box-Muller) from pairs * pair_words words.
  void (*normals)(double* rows, const std::uint64_t* words, std::size_t pairs);
  // A vector has `dimension` rows. Multiplies row j of each vector by scales[j], and then divides each vector by its
  // norm.
  void (*normalize)(double* vectors, const double* scales, std::size_t count, std::size_t dimension);
  // Writes the inner product of each vector with `with`, one row for each vector.
  void (*products)(double* products, const double* vectors, const double* with, std::size_t count,
                   std::size_t dimension);
  // Pulls the arm whose context has the largest inner product with `estimate`, or the first of several such arms.
  // `weights` is a row of zeros and ones. This function multiplies the results by `weights` and adds them to `totals`,
  // which has total_rows(dimension) rows. `noise` has one row for all arms if noise_rows is 1, otherwise one row for
  // each arm. This function writes the context of the pulled arm to `chosen`.
  void (*greedy)(double* totals, double* chosen, const double* contexts, const double* means, const double* noise,
                 std::size_t noise_rows, const double* estimate, const double* weights, std::size_t arms,
                 std::size_t dimension, double reward_bound);
};

// The rows of `totals`, in this order: the lower triangle of the sum of x x', by rows; the sum of reward x; the regret;
// the reward; the number of clipped rewards.
[[nodiscard]] constexpr std::size_t triangle_size(std::size_t dimension) { return dimension * (dimension + 1) / 2; }
[[nodiscard]] constexpr std::size_t total_rows(std::size_t dimension) {
  return triangle_size(dimension) + dimension + 3;
}

// Returns the table that this process uses, chosen as in core/ring/kernels.h.
[[nodiscard]] const LaneKernels& lane_kernels();

[[nodiscard]] std::vector<const LaneKernels*> available_lane_kernels();

extern const LaneKernels baseline_lane_kernels;
extern const LaneKernels avx2_lane_kernels;
extern const LaneKernels avx512_lane_kernels;

}  // namespace sotto::apps::robin
