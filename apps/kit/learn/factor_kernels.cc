#include "sotto/apps/kit/learn/factor_kernels.h"

#include <cmath>

#include "sotto/core/ring/choose_table.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace sotto::apps {
namespace {

// The table of any CPU, on x86-64 with the vectors that all of them have.

#if defined(__SSE2__)
using Vector = __m128d;
constexpr std::size_t width = 2;
constexpr std::size_t tile_rows = 2;
constexpr std::size_t panel_rows = 2;

Vector load(const double* p) { return _mm_load_pd(p); }
Vector load_any(const double* p) { return _mm_loadu_pd(p); }
void store(double* p, Vector v) { _mm_store_pd(p, v); }
void store_any(double* p, Vector v) { _mm_storeu_pd(p, v); }
Vector all(double value) { return _mm_set1_pd(value); }
Vector root(Vector v) { return _mm_sqrt_pd(v); }
void sums(double* out, const Vector* v) {
  for (std::size_t c = 0; c < 4; c += 2) {
    const Vector both = _mm_unpacklo_pd(v[c], v[c + 1]) + _mm_unpackhi_pd(v[c], v[c + 1]);
    store_any(out + c, load_any(out + c) + both);
  }
}
#else
using Vector = double;
constexpr std::size_t width = 1;
constexpr std::size_t tile_rows = 4;
constexpr std::size_t panel_rows = 2;

Vector load(const double* p) { return *p; }
Vector load_any(const double* p) { return *p; }
void store(double* p, Vector v) { *p = v; }
void store_any(double* p, Vector v) { *p = v; }
Vector all(double value) { return value; }
Vector root(Vector v) { return std::sqrt(v); }
void sums(double* out, const Vector* v) {
  for (std::size_t c = 0; c < 4; ++c) out[c] += v[c];
}
#endif

#include "sotto/apps/kit/learn/factor_kernels.inc"

}  // namespace

const FactorKernels baseline_factor_kernels = {"baseline", copy_finite, dot, project, gram_add, shrink, multiply};

std::vector<const FactorKernels*> available_factor_kernels() {
  std::vector<const FactorKernels*> tables = {&baseline_factor_kernels};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    tables.push_back(&avx2_factor_kernels);
  }
  if (__builtin_cpu_supports("avx512f")) tables.push_back(&avx512_factor_kernels);
#endif
  return tables;
}

const FactorKernels& factor_kernels() {
  static const FactorKernels& chosen = table_up_to(kernels().name, available_factor_kernels());
  return chosen;
}

}  // namespace sotto::apps
