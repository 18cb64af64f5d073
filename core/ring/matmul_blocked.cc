// Matrix products of any size from a register tile: blocks that fit the caches are packed into
// panels in the order in which the tile reads them (Goto's scheme). Compiled for any CPU; only the
// tile is not.
#include <algorithm>
#include <vector>

#include "core/ring/kernels_tables.h"

#if defined(__x86_64__)

namespace sotto::kernel {
namespace {

// A panel of b (depth x tile columns) fits the first cache, the packed blocks of a and b the
// second.
constexpr std::size_t depth_block = 128;
constexpr std::size_t row_block = 96;
constexpr std::size_t column_block = 512;

struct Shape {
  std::size_t m, k, n;
};

// Copies rows i0.. of a as panels of `rows` rows, word (r, p) at p * rows + r; missing rows are
// zeros.
template <std::size_t rows>
void pack_rows(Word* to, const Word* a, std::size_t stride, std::size_t count, std::size_t depth) {
  for (std::size_t i = 0; i < count; i += rows) {
    const std::size_t present = std::min(rows, count - i);
    for (std::size_t p = 0; p < depth; ++p) {
      for (std::size_t r = 0; r < rows; ++r) *to++ = r < present ? a[(i + r) * stride + p] : 0;
    }
  }
}

// Copies columns of b as panels of `columns` columns, word (p, c) at p * columns + c; missing
// columns are zeros.
template <std::size_t columns>
void pack_columns(Word* to, const Word* b, std::size_t stride, std::size_t count,
                  std::size_t depth) {
  for (std::size_t j = 0; j < count; j += columns) {
    const std::size_t present = std::min(columns, count - j);
    for (std::size_t p = 0; p < depth; ++p) {
      const Word* from = b + p * stride + j;
      to = std::copy(from, from + present, to);
      to = std::fill_n(to, columns - present, Word{0});
    }
  }
}

// One tile at the edge: all of it into a scratch, the part that exists to out.
template <Tile tile, std::size_t rows, std::size_t columns>
void edge_tile(Word* out, std::size_t stride, const Word* a_panel, const Word* b_panel,
               std::size_t depth, std::size_t present_rows, std::size_t present_columns) {
  Word scratch[rows * columns] = {};
  tile(scratch, columns, a_panel, b_panel, depth);
  for (std::size_t r = 0; r < present_rows; ++r) {
    for (std::size_t c = 0; c < present_columns; ++c) {
      out[r * stride + c] += scratch[r * columns + c];
    }
  }
}

// All tiles of one packed block of a with one of b.
template <Tile tile, std::size_t rows, std::size_t columns>
void multiply_block(Word* out, std::size_t stride, const Word* a_block, const Word* b_block,
                    const Shape& block) {
  for (std::size_t j = 0; j < block.n; j += columns) {
    const std::size_t present_columns = std::min(columns, block.n - j);
    for (std::size_t i = 0; i < block.m; i += rows) {
      const std::size_t present_rows = std::min(rows, block.m - i);
      Word* target = out + i * stride + j;
      const Word* a_panel = a_block + i * block.k;
      const Word* b_panel = b_block + j * block.k;
      if (present_rows == rows && present_columns == columns) {
        tile(target, stride, a_panel, b_panel, block.k);
      } else {
        edge_tile<tile, rows, columns>(target, stride, a_panel, b_panel, block.k, present_rows,
                                       present_columns);
      }
    }
  }
}

constexpr std::size_t round_up(std::size_t n, std::size_t step) {
  return (n + step - 1) / step * step;
}

template <Tile tile, std::size_t rows, std::size_t columns>
void multiply(Word* out, const Word* a, const Word* b, const Shape& shape) {
  const std::size_t depth_most = std::min(depth_block, shape.k);
  std::vector<Word> a_block(round_up(std::min(row_block, shape.m), rows) * depth_most);
  std::vector<Word> b_block(round_up(std::min(column_block, shape.n), columns) * depth_most);
  for (std::size_t j = 0; j < shape.n; j += column_block) {
    for (std::size_t p = 0; p < shape.k; p += depth_block) {
      Shape block{0, std::min(depth_block, shape.k - p), std::min(column_block, shape.n - j)};
      pack_columns<columns>(b_block.data(), b + p * shape.n + j, shape.n, block.n, block.k);
      for (std::size_t i = 0; i < shape.m; i += row_block) {
        block.m = std::min(row_block, shape.m - i);
        pack_rows<rows>(a_block.data(), a + i * shape.k + p, shape.k, block.m, block.k);
        multiply_block<tile, rows, columns>(out + i * shape.n + j, shape.n, a_block.data(),
                                            b_block.data(), block);
      }
    }
  }
}

// With so few rows a packed panel of b is not used often enough to pay for its packing.
constexpr std::size_t few_rows = 4;

using ScaleAdd = void (*)(Word* out, Word factor, const Word* a, std::size_t n);

template <ScaleAdd scale_add>
void multiply_by_rows(Word* out, const Word* a, const Word* b, const Shape& shape) {
  for (std::size_t i = 0; i < shape.m; ++i) {
    for (std::size_t p = 0; p < shape.k; ++p) {
      scale_add(out + i * shape.n, a[i * shape.k + p], b + p * shape.n, shape.n);
    }
  }
}

}  // namespace

void avx2::matmul_add(Word* out, const Word* a, const Word* b, std::size_t m, std::size_t k,
                      std::size_t n) {
  const Shape shape{m, k, n};
  if (m < few_rows || n < avx2::tile_columns || m * k * n < 4096) {
    return multiply_by_rows<avx2::scale_add>(out, a, b, shape);
  }
  multiply<avx2::tile, avx2::tile_rows, avx2::tile_columns>(out, a, b, shape);
}

void avx512::matmul_add(Word* out, const Word* a, const Word* b, std::size_t m, std::size_t k,
                        std::size_t n) {
  const Shape shape{m, k, n};
  if (m * k * n < 32768 || n < 16) return avx512::matmul_add_unpacked(out, a, b, m, k, n);
  if (m < few_rows) return multiply_by_rows<avx512::scale_add>(out, a, b, shape);
  multiply<avx512::tile, avx512::tile_rows, avx512::tile_columns>(out, a, b, shape);
}

}  // namespace sotto::kernel

#endif
