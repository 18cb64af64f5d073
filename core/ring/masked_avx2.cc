// Masked values and symmetric matrices for CPUs with AVX2.
#include "core/ring/kernels_tables.h"

#if defined(__AVX2__)
#include "core/ring/masked_loops.h"
#include "core/ring/symmetric_loops.h"

namespace sotto::kernel::avx2 {

void multiply(Word* out, const Word* a, const Word* b, std::size_t n) {
  multiply_loop(out, a, b, n);
}

void scale(Word* out, Word factor, const Word* a, std::size_t n) { scale_loop(out, factor, a, n); }

void masked_multiply(Word* out, const Word* a, const Word* ma, const Word* b, const Word* mb,
                     Word plus, std::size_t n) {
  masked_multiply_loop(out, a, ma, b, mb, plus, n);
}

void masked_scale_add(Word* out, Word factor, const Word* a, const Word* ma, Word plus,
                      std::size_t n) {
  masked_scale_add_loop(out, factor, a, ma, plus, n);
}

void truncation_mask(Word* mask, Word* top, const Word* r, unsigned f, std::size_t n) {
  truncation_mask_loop(mask, top, r, f, n);
}

void truncate_opened(Word* c, Word* mask, Word* top, unsigned f, std::size_t n) {
  truncate_opened_loop(c, mask, top, f, n);
}

void symmetric_matvec_add(Word* out, const Word* triangle, const Word* y, std::size_t d) {
  symmetric_matvec_add_rows<dot, scale_add>(out, triangle, y, d);
}

void symmetric_pairs_add(Word* out, const Word* triangle, const Word* pairs, std::size_t d) {
  symmetric_pairs_add_rows<dot, multiply_add>(out, triangle, pairs, d);
}

void symmetric_outer_add(Word* out, const Word* x, const Word* y, std::size_t d) {
  symmetric_outer_add_rows<scale_add>(out, x, y, d);
}

void symmetric_outer_sum(Word* out, const Word* a, const Word* b, const Word* p, const Word* q,
                         std::size_t d) {
  symmetric_outer_sum_rows(out, a, b, p, q, d);
}

void triangle_columns(Word* out, const Word* y, const Word* pairs, std::size_t d) {
  triangle_columns_rows(out, y, pairs, d);
}

}  // namespace sotto::kernel::avx2
#endif
