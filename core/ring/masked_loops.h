// Loops over masked values that a compiler vectorises well by itself: written once, compiled by each
// set of kernels for its own CPU. Everything here is static, so that no copy serves another set.
#pragma once

#include "core/ring/kernels_tables.h"

namespace sotto::kernel {
namespace {

constexpr Word low_63_bits = ~Word{0} >> 1;

inline void multiply_loop(Word* __restrict out, const Word* a, const Word* b, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = a[i] * b[i];
}

inline void scale_loop(Word* __restrict out, Word factor, const Word* a, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = factor * a[i];
}

inline void masked_multiply_loop(Word* __restrict out, const Word* a, const Word* ma, const Word* b,
                                 const Word* mb, Word plus, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = (plus * a[i] - ma[i]) * b[i] - a[i] * mb[i];
}

inline void masked_scale_add_loop(Word* __restrict out, Word factor, const Word* a, const Word* ma,
                                  Word plus, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] += factor * (plus * a[i] - ma[i]);
}

inline void truncation_mask_loop(Word* __restrict mask, Word* __restrict top, const Word* r,
                                 unsigned f, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const Word bit = r[i] >> 63;
    mask[i] = ((r[i] & low_63_bits) >> f) - (bit << (63 - f));
    top[i] = bit;
  }
}

inline void truncate_opened_loop(Word* __restrict c, Word* __restrict mask, Word* __restrict top,
                                 unsigned f, std::size_t n) {
  const Word offset = Word{1} << (62 - f);
  for (std::size_t i = 0; i < n; ++i) {
    const Word k = c[i] >> 63;
    c[i] = ((c[i] & low_63_bits) >> f) - offset + (k << (63 - f));
    mask[i] += (Word{0} - k) & (top[i] << (64 - f));
    top[i] = k;
  }
}

}  // namespace
}  // namespace sotto::kernel
