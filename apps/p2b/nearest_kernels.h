// The inner loop of the search for the nearest centroid, for each kind of CPU. The half norm of a centroid c is |c|^2 /
// 2. For each block of nearest_lanes centroids, `table` has a row of their half norms, then one row for each feature.
// The table is aligned to a cache line. The loop finds the centroid with the smallest (half norm - point.centroid), and
// the first of several such centroids. The loop finds a centroid with an infinite half norm only if all half norms are
// infinite.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace sotto::apps::p2b {

inline constexpr std::size_t nearest_lanes = 16;

struct NearestKernels {
  std::string_view name;
  void (*find)(const double* table, std::size_t blocks, std::size_t dimension, const double* point, std::uint64_t* code,
               double* score);
};

// Returns the slowest kernels first.
[[nodiscard]] std::vector<const NearestKernels*> available_nearest_kernels();
[[nodiscard]] const NearestKernels& nearest_kernels();

extern const NearestKernels baseline_nearest_kernels;
extern const NearestKernels avx2_nearest_kernels;
extern const NearestKernels avx512_nearest_kernels;

}  // namespace sotto::apps::p2b
