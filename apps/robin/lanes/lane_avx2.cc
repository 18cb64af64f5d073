// For CPUs with AVX2. Compiled for them: intrinsics and raw pointers only.
#include "sotto/apps/robin/lanes/lane_kernels.h"

#if defined(__AVX2__)
#include <immintrin.h>

namespace sotto::apps {
namespace {

using Vector = __m256d;
using Mask = __m256d;
using Words = __m256i;
constexpr std::size_t width = 4;

inline Words read(const std::uint64_t* words) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(static_cast<const void*>(words)));
}
inline Words bits_of_one() { return _mm256_set1_epi64x(0x3FF0000000000000); }

inline Vector load(const double* p) { return _mm256_load_pd(p); }
inline void store(double* p, Vector v) { _mm256_store_pd(p, v); }
inline Vector all(double value) { return _mm256_set1_pd(value); }
inline Vector root(Vector v) { return _mm256_sqrt_pd(v); }
inline Vector absolute(Vector v) { return _mm256_andnot_pd(_mm256_set1_pd(-0.0), v); }
inline Mask above(Vector a, Vector b) { return _mm256_cmp_pd(a, b, _CMP_GT_OQ); }
inline Vector select(Mask mask, Vector yes, Vector no) { return _mm256_blendv_pd(no, yes, mask); }
inline Vector uniform(const std::uint64_t* words) {
  const Words bits = _mm256_or_si256(_mm256_srli_epi64(read(words), 12), bits_of_one());
  return _mm256_castsi256_pd(bits) - all(1.0);
}
// The exponent's bits below those of 2^52 make the double 2^52 + exponent.
inline Vector exponent(Vector v) {
  const Words bits =
      _mm256_or_si256(_mm256_srli_epi64(_mm256_castpd_si256(v), 52), _mm256_set1_epi64x(0x4330000000000000));
  return _mm256_castsi256_pd(bits) - all(0x1p52 + 1023.0);
}
inline Vector mantissa(Vector v) {
  const Words bits = _mm256_and_si256(_mm256_castpd_si256(v), _mm256_set1_epi64x(0x000FFFFFFFFFFFFF));
  return _mm256_castsi256_pd(_mm256_or_si256(bits, bits_of_one()));
}
// blendv looks at the uppermost bit.
inline Mask has_bit(const std::uint64_t* words, int bit) {
  return _mm256_castsi256_pd(_mm256_slli_epi64(read(words), 63 - bit));
}
inline Vector half_turn(const std::uint64_t* words) {
  const Words sign = _mm256_slli_epi64(_mm256_and_si256(read(words), _mm256_set1_epi64x(2)), 62);
  return _mm256_castsi256_pd(_mm256_or_si256(sign, bits_of_one()));
}

#include "sotto/apps/robin/lanes/lane_kernels.inc"

}  // namespace

const LaneKernels avx2_lane_kernels = {"avx2", normals, normalize, products, greedy};

}  // namespace sotto::apps
#endif
