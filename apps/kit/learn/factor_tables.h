// The functions behind factor_kernels.h, one set a kind of CPU. Only factor_*.cc include this.
//
// The files of the avx2 and avx512 sets are compiled for those CPUs and therefore hold intrinsics and
// raw pointers only: an inline function of the library, compiled there, might be the copy that the
// linker keeps for all. Each set defines its vectors and includes factor_kernels.inc.
#pragma once

#include <cstddef>

namespace sotto::apps {

#define SOTTO_FACTOR_SET(set)                                                                   \
  namespace set {                                                                               \
  bool copy_finite(double* out, const double* in, std::size_t n);                               \
  double dot(const double* a, const double* b, std::size_t n);                                  \
  void project(double* z, const double* x, const double* factor, std::size_t rows,              \
               std::size_t stride);                                                             \
  void gram_add(double* out, std::size_t out_stride, const double* x, std::size_t rows,         \
                std::size_t stride);                                                            \
  void shrink(double* factor, double* gain, const double* f, double* work, std::size_t stride); \
  void multiply(double* out, const double* x, const double* panels, std::size_t rows,           \
                std::size_t depth, std::size_t columns);                                        \
  }
SOTTO_FACTOR_SET(factor_baseline)
SOTTO_FACTOR_SET(factor_avx2)
SOTTO_FACTOR_SET(factor_avx512)
#undef SOTTO_FACTOR_SET

}  // namespace sotto::apps
