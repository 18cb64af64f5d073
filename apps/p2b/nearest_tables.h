// The functions behind nearest_kernels.h, one a kind of CPU. Without anything of a library: the files
// that are compiled for one kind of CPU include it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sotto::apps {

// Centroids of a block.
inline constexpr std::size_t nearest_lanes = 16;

#define SOTTO_NEAREST_SET(set)                                                                   \
  namespace set {                                                                                \
  void find(const double* table, std::size_t blocks, std::size_t dimension, const double* point, \
            std::uint64_t* code, double* score);                                                 \
  }
SOTTO_NEAREST_SET(nearest_baseline)
SOTTO_NEAREST_SET(nearest_avx2)
SOTTO_NEAREST_SET(nearest_avx512)
#undef SOTTO_NEAREST_SET

}  // namespace sotto::apps
