// For CPUs with AVX-512. Compiled for them: intrinsics and raw pointers only.
#include "sotto/apps/kit/learn/factor_kernels.h"

#if defined(__AVX512F__)
#include <immintrin.h>

namespace sotto::apps {
namespace {

using Vector = __m512d;
constexpr std::size_t width = 8;
constexpr std::size_t tile_rows = 6;
constexpr std::size_t panel_rows = 8;

Vector load(const double* p) { return _mm512_load_pd(p); }
Vector load_any(const double* p) { return _mm512_loadu_pd(p); }
void store(double* p, Vector v) { _mm512_store_pd(p, v); }
void store_any(double* p, Vector v) { _mm512_storeu_pd(p, v); }
Vector all(double value) { return _mm512_set1_pd(value); }
Vector root(Vector v) { return _mm512_sqrt_pd(v); }
__m256d halves(Vector v) { return _mm512_castpd512_pd256(v) + _mm512_extractf64x4_pd(v, 1); }
void sums(double* out, const Vector* v) {
  const __m256d first = _mm256_hadd_pd(halves(v[0]), halves(v[1]));
  const __m256d last = _mm256_hadd_pd(halves(v[2]), halves(v[3]));
  const __m256d low = _mm256_permute2f128_pd(first, last, 0x20);
  const __m256d high = _mm256_permute2f128_pd(first, last, 0x31);
  _mm256_storeu_pd(out, _mm256_loadu_pd(out) + (low + high));
}

#include "sotto/apps/kit/learn/factor_kernels.inc"

}  // namespace

const FactorKernels avx512_factor_kernels = {"avx512", copy_finite, dot, project, gram_add, shrink, multiply};

}  // namespace sotto::apps
#endif
