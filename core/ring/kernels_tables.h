// The functions behind kernels.h, one set a kind of CPU. Only kernels.cc and matmul_blocked.cc
// include this.
//
// The files that define the avx2 and avx512 sets are compiled for those CPUs and therefore hold
// intrinsics and raw pointers only: an inline function of the library, compiled there, might be the
// copy that the linker keeps for all. masked_loops.h holds plain loops that all three sets compile,
// each for its own CPU.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sotto::kernel {

using Word = std::uint64_t;

// A register tile of a matrix product: adds (rows x depth) * (depth x columns) to out, with rows
// and columns fixed by the function. a_panel holds `rows` words for each p of depth, b_panel
// `columns` words for each p. depth is at least 1.
using Tile = void (*)(Word* out, std::size_t out_stride, const Word* a_panel, const Word* b_panel,
                      std::size_t depth);

namespace baseline {
void add(Word* out, const Word* a, std::size_t n);
void subtract(Word* out, const Word* a, std::size_t n);
void multiply_add(Word* out, const Word* a, const Word* b, std::size_t n);
void scale_add(Word* out, Word factor, const Word* a, std::size_t n);
Word dot(const Word* a, const Word* b, std::size_t n);
void matvec_add(Word* out, const Word* matrix, const Word* vector, std::size_t rows,
                std::size_t columns);
void matmul_add(Word* out, const Word* a, const Word* b, std::size_t m, std::size_t k,
                std::size_t n);
void multiply(Word* out, const Word* a, const Word* b, std::size_t n);
void scale(Word* out, Word factor, const Word* a, std::size_t n);
void symmetric_matvec_add(Word* out, const Word* triangle, const Word* y, std::size_t d);
void symmetric_pairs_add(Word* out, const Word* triangle, const Word* pairs, std::size_t d);
void symmetric_outer_add(Word* out, const Word* x, const Word* y, std::size_t d);
void symmetric_outer_sum(Word* out, const Word* a, const Word* b, const Word* p, const Word* q,
                         std::size_t d);
void triangle_columns(Word* out, const Word* y, const Word* pairs, std::size_t d);
void masked_multiply(Word* out, const Word* a, const Word* ma, const Word* b, const Word* mb,
                     Word plus, std::size_t n);
void masked_scale_add(Word* out, Word factor, const Word* a, const Word* ma, Word plus,
                      std::size_t n);
void truncation_mask(Word* mask, Word* top, const Word* r, unsigned f, std::size_t n);
void truncate_opened(Word* c, Word* mask, Word* top, unsigned f, std::size_t n);
}  // namespace baseline

namespace avx2 {
inline constexpr std::size_t tile_rows = 4;
inline constexpr std::size_t tile_columns = 4;
void add(Word* out, const Word* a, std::size_t n);
void subtract(Word* out, const Word* a, std::size_t n);
void multiply_add(Word* out, const Word* a, const Word* b, std::size_t n);
void scale_add(Word* out, Word factor, const Word* a, std::size_t n);
Word dot(const Word* a, const Word* b, std::size_t n);
void matvec_add(Word* out, const Word* matrix, const Word* vector, std::size_t rows,
                std::size_t columns);
void tile(Word* out, std::size_t out_stride, const Word* a_panel, const Word* b_panel,
          std::size_t depth);
void matmul_add(Word* out, const Word* a, const Word* b, std::size_t m, std::size_t k,
                std::size_t n);
void multiply(Word* out, const Word* a, const Word* b, std::size_t n);
void scale(Word* out, Word factor, const Word* a, std::size_t n);
void symmetric_matvec_add(Word* out, const Word* triangle, const Word* y, std::size_t d);
void symmetric_pairs_add(Word* out, const Word* triangle, const Word* pairs, std::size_t d);
void symmetric_outer_add(Word* out, const Word* x, const Word* y, std::size_t d);
void symmetric_outer_sum(Word* out, const Word* a, const Word* b, const Word* p, const Word* q,
                         std::size_t d);
void triangle_columns(Word* out, const Word* y, const Word* pairs, std::size_t d);
void masked_multiply(Word* out, const Word* a, const Word* ma, const Word* b, const Word* mb,
                     Word plus, std::size_t n);
void masked_scale_add(Word* out, Word factor, const Word* a, const Word* ma, Word plus,
                      std::size_t n);
void truncation_mask(Word* mask, Word* top, const Word* r, unsigned f, std::size_t n);
void truncate_opened(Word* c, Word* mask, Word* top, unsigned f, std::size_t n);
}  // namespace avx2

namespace avx512 {
inline constexpr std::size_t tile_rows = 12;
inline constexpr std::size_t tile_columns = 16;
void add(Word* out, const Word* a, std::size_t n);
void subtract(Word* out, const Word* a, std::size_t n);
void multiply_add(Word* out, const Word* a, const Word* b, std::size_t n);
void scale_add(Word* out, Word factor, const Word* a, std::size_t n);
Word dot(const Word* a, const Word* b, std::size_t n);
void matvec_add(Word* out, const Word* matrix, const Word* vector, std::size_t rows,
                std::size_t columns);
void tile(Word* out, std::size_t out_stride, const Word* a_panel, const Word* b_panel,
          std::size_t depth);
// Without a buffer, for products so small that packing costs more than it saves.
void matmul_add_unpacked(Word* out, const Word* a, const Word* b, std::size_t m, std::size_t k,
                         std::size_t n);
void matmul_add(Word* out, const Word* a, const Word* b, std::size_t m, std::size_t k,
                std::size_t n);
void multiply(Word* out, const Word* a, const Word* b, std::size_t n);
void scale(Word* out, Word factor, const Word* a, std::size_t n);
void symmetric_matvec_add(Word* out, const Word* triangle, const Word* y, std::size_t d);
void symmetric_pairs_add(Word* out, const Word* triangle, const Word* pairs, std::size_t d);
void symmetric_outer_add(Word* out, const Word* x, const Word* y, std::size_t d);
void symmetric_outer_sum(Word* out, const Word* a, const Word* b, const Word* p, const Word* q,
                         std::size_t d);
void triangle_columns(Word* out, const Word* y, const Word* pairs, std::size_t d);
void masked_multiply(Word* out, const Word* a, const Word* ma, const Word* b, const Word* mb,
                     Word plus, std::size_t n);
void masked_scale_add(Word* out, Word factor, const Word* a, const Word* ma, Word plus,
                      std::size_t n);
void truncation_mask(Word* mask, Word* top, const Word* r, unsigned f, std::size_t n);
void truncate_opened(Word* c, Word* mask, Word* top, unsigned f, std::size_t n);
}  // namespace avx512

}  // namespace sotto::kernel
