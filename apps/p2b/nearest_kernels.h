// The inner loop of the search for the nearest centroid, for each kind of CPU.
//
// `table`: for each block of nearest_lanes centroids a row of their half norms, then a row for each feature; aligned to
// a cache line. Finds the smallest half norm - point.centroid, the first among equals. Infinite half norms are never
// found where there is a finite one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace sotto::apps::p2b {

// Centroids of a block.
inline constexpr std::size_t nearest_lanes = 16;

struct NearestKernels {
  std::string_view name;
  void (*find)(const double* table, std::size_t blocks, std::size_t dimension, const double* point, std::uint64_t* code,
               double* score);
};

// That this CPU runs, slowest first.
[[nodiscard]] std::vector<const NearestKernels*> available_nearest_kernels();
// The one that kernels() of core/ring/kernels.h goes with.
[[nodiscard]] const NearestKernels& nearest_kernels();

extern const NearestKernels baseline_nearest_kernels;
extern const NearestKernels avx2_nearest_kernels;
extern const NearestKernels avx512_nearest_kernels;

}  // namespace sotto::apps::p2b
