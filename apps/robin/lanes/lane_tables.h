// The functions behind lane_kernels.h, one set a kind of CPU. Only lane_*.cc include this.
//
// The files of the avx2 and avx512 sets are compiled for those CPUs and therefore hold intrinsics and
// raw pointers only: an inline function of the library, compiled there, might be the copy that the
// linker keeps for all. Each set defines its vectors and includes lane_kernels.inc.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sotto::apps {

#define SOTTO_LANE_SET(set)                                                                        \
  namespace set {                                                                                  \
  void normals(double* rows, const std::uint64_t* words, std::size_t pairs);                       \
  void normalize(double* vectors, const double* scales, std::size_t count, std::size_t dimension); \
  void products(double* products, const double* vectors, const double* with, std::size_t count,    \
                std::size_t dimension);                                                            \
  void greedy(double* totals, double* chosen, const double* contexts, const double* means,         \
              const double* noise, std::size_t noise_rows, const double* estimate,                 \
              const double* weights, std::size_t arms, std::size_t dimension,                      \
              double reward_bound);                                                                \
  }
SOTTO_LANE_SET(lane_baseline)
SOTTO_LANE_SET(lane_avx2)
SOTTO_LANE_SET(lane_avx512)
#undef SOTTO_LANE_SET

}  // namespace sotto::apps
