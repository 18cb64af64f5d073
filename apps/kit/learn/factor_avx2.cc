// For CPUs with AVX2 and FMA. Compiled for them: intrinsics and raw pointers only.
#include "sotto/apps/kit/learn/factor_kernels.h"

#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>

namespace sotto::apps {
namespace {

using Vector = __m256d;
constexpr std::size_t width = 4;
constexpr std::size_t tile_rows = 3;
constexpr std::size_t panel_rows = 4;

Vector load(const double* p) { return _mm256_load_pd(p); }
Vector load_any(const double* p) { return _mm256_loadu_pd(p); }
void store(double* p, Vector v) { _mm256_store_pd(p, v); }
void store_any(double* p, Vector v) { _mm256_storeu_pd(p, v); }
Vector all(double value) { return _mm256_set1_pd(value); }
Vector root(Vector v) { return _mm256_sqrt_pd(v); }
void sums(double* out, const Vector* v) {
  const Vector first = _mm256_hadd_pd(v[0], v[1]);
  const Vector last = _mm256_hadd_pd(v[2], v[3]);
  const Vector low = _mm256_permute2f128_pd(first, last, 0x20);
  const Vector high = _mm256_permute2f128_pd(first, last, 0x31);
  store_any(out, load_any(out) + (low + high));
}

#include "sotto/apps/kit/learn/factor_kernels.inc"

}  // namespace

const FactorKernels avx2_factor_kernels = {"avx2", copy_finite, dot, project, gram_add, shrink, multiply};

}  // namespace sotto::apps
#endif
