// For CPUs with AVX-512. Compiled for them: intrinsics and raw pointers only.
#include "sotto/apps/robin/lanes/lane_kernels.h"

#if defined(__AVX512F__)
#include <immintrin.h>

namespace sotto::apps {
namespace {

using Vector = __m512d;
using Mask = __mmask8;
using Words = __m512i;
constexpr std::size_t width = 8;

inline Words read(const std::uint64_t* words) { return _mm512_loadu_si512(words); }
inline Words bits_of_one() { return _mm512_set1_epi64(0x3FF0000000000000); }

inline Vector load(const double* p) { return _mm512_load_pd(p); }
inline void store(double* p, Vector v) { _mm512_store_pd(p, v); }
inline Vector all(double value) { return _mm512_set1_pd(value); }
inline Vector root(Vector v) { return _mm512_sqrt_pd(v); }
inline Vector absolute(Vector v) { return _mm512_abs_pd(v); }
inline Mask above(Vector a, Vector b) { return _mm512_cmp_pd_mask(a, b, _CMP_GT_OQ); }
inline Vector select(Mask mask, Vector yes, Vector no) { return _mm512_mask_blend_pd(mask, no, yes); }
inline Vector uniform(const std::uint64_t* words) {
  const Words bits = _mm512_or_si512(_mm512_srli_epi64(read(words), 12), bits_of_one());
  return _mm512_castsi512_pd(bits) - all(1.0);
}
// The exponent's bits below those of 2^52 make the double 2^52 + exponent.
inline Vector exponent(Vector v) {
  const Words bits =
      _mm512_or_si512(_mm512_srli_epi64(_mm512_castpd_si512(v), 52), _mm512_set1_epi64(0x4330000000000000));
  return _mm512_castsi512_pd(bits) - all(0x1p52 + 1023.0);
}
inline Vector mantissa(Vector v) {
  const Words bits = _mm512_and_si512(_mm512_castpd_si512(v), _mm512_set1_epi64(0x000FFFFFFFFFFFFF));
  return _mm512_castsi512_pd(_mm512_or_si512(bits, bits_of_one()));
}
inline Mask has_bit(const std::uint64_t* words, unsigned bit) {
  return _mm512_test_epi64_mask(read(words), _mm512_set1_epi64(1LL << bit));
}
inline Vector half_turn(const std::uint64_t* words) {
  const Words sign = _mm512_slli_epi64(_mm512_and_si512(read(words), _mm512_set1_epi64(2)), 62);
  return _mm512_castsi512_pd(_mm512_or_si512(sign, bits_of_one()));
}

#include "sotto/apps/robin/lanes/lane_kernels.inc"

}  // namespace

const LaneKernels avx512_lane_kernels = {"avx512", normals, normalize, products, greedy};

}  // namespace sotto::apps
#endif
