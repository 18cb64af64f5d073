// Matrix products of any size, one register tile at a time, from packed panels (Goto's scheme).
#include <algorithm>
#include <cstdint>

#include "core/ring/kernels_tables.h"
#include "sotto/protocol/async/pool.h"

#if defined(__x86_64__)

namespace sotto::kernel {
namespace {

// A panel of b (depth x columns) stays in the first-level cache for all panels of a. A block of a (row_block x depth)
// stays in the second-level cache for all panels of b.
struct Avx2 {
  static constexpr Tile tile = avx2::tile;
  static constexpr std::size_t rows = avx2::tile_rows;
  static constexpr std::size_t columns = avx2::tile_columns;
  static constexpr std::size_t depth_block = 256;
  static constexpr std::size_t row_block = 96;
  static constexpr std::size_t column_block = 2048;
};
struct Avx512 {
  static constexpr Tile tile = avx512::tile;
  static constexpr std::size_t rows = avx512::tile_rows;
  static constexpr std::size_t columns = avx512::tile_columns;
  static constexpr std::size_t depth_block = 256;
  static constexpr std::size_t row_block = 192;
  static constexpr std::size_t column_block = 2048;
};

constexpr std::size_t line = 64 / sizeof(Word);

struct Shape {
  std::size_t m, k, n;
};

template <std::size_t rows>
void interleave(Word* to, const Word* from, std::size_t stride, std::size_t present, std::size_t depth) {
  for (std::size_t r = 0; r < present; ++r) {
    for (std::size_t p = 0; p < depth; ++p) to[p * rows + r] = from[r * stride + p];
  }
}

template <std::size_t rows>
void pack_rows(Word* to, const Word* a, std::size_t stride, std::size_t count, std::size_t depth) {
  // Copies one cache line of each row at a time, because cache lines of distant rows evict each other.
  for (std::size_t i = 0; i < count; i += rows) {
    const Word* from = a + i * stride;
    std::size_t p = 0;
    if (count - i >= rows) {
      for (; p + line <= depth; p += line) {
        interleave<rows>(to + p * rows, from + p, stride, rows, line);
      }
      interleave<rows>(to + p * rows, from + p, stride, rows, depth - p);
    } else {
      std::fill_n(to, rows * depth, Word{0});
      interleave<rows>(to, from, stride, count - i, depth);
    }
    to += rows * depth;
  }
}

template <std::size_t columns>
void pack_columns(Word* to, const Word* b, std::size_t stride, std::size_t count, std::size_t depth) {
  constexpr std::size_t step = std::max<std::size_t>(line / columns, 1);
  for (std::size_t p0 = 0; p0 < depth; p0 += step) {
    const std::size_t p1 = std::min(p0 + step, depth);
    Word* panel = to;
    std::size_t j = 0;
    for (; j + columns <= count; j += columns, panel += depth * columns) {
      for (std::size_t p = p0; p < p1; ++p) {
        for (std::size_t c = 0; c < columns; ++c) panel[p * columns + c] = b[p * stride + j + c];
      }
    }
    for (std::size_t p = p0; j < count && p < p1; ++p) {
      std::fill_n(panel + p * columns, columns, Word{0});
      std::copy(b + p * stride + j, b + p * stride + count, panel + p * columns);
    }
  }
}

template <class Cpu>
void edge_tile(Word* out, std::size_t stride, const Word* a_panel, const Word* b_panel, std::size_t depth,
               std::size_t present_rows, std::size_t present_columns) {
  Word scratch[Cpu::rows * Cpu::columns] = {};
  Cpu::tile(scratch, Cpu::columns, a_panel, b_panel, depth);
  for (std::size_t r = 0; r < present_rows; ++r) {
    for (std::size_t c = 0; c < present_columns; ++c) {
      out[r * stride + c] += scratch[r * Cpu::columns + c];
    }
  }
}

template <class Cpu>
void multiply_block(Word* out, std::size_t stride, const Word* a_block, const Word* b_block, const Shape& block) {
  for (std::size_t j = 0; j < block.n; j += Cpu::columns) {
    const std::size_t present_columns = std::min(Cpu::columns, block.n - j);
    for (std::size_t i = 0; i < block.m; i += Cpu::rows) {
      const std::size_t present_rows = std::min(Cpu::rows, block.m - i);
      Word* target = out + i * stride + j;
      const Word* a_panel = a_block + i * block.k;
      const Word* b_panel = b_block + j * block.k;
      if (present_rows == Cpu::rows && present_columns == Cpu::columns) {
        Cpu::tile(target, stride, a_panel, b_panel, block.k);
      } else {
        edge_tile<Cpu>(target, stride, a_panel, b_panel, block.k, present_rows, present_columns);
      }
    }
  }
}

constexpr std::size_t round_up(std::size_t n, std::size_t step) { return (n + step - 1) / step * step; }

class PackingBuffer {
 public:
  explicit PackingBuffer(std::size_t words) : storage_(words + line - 1) {}
  Word* data() {
    const auto address = reinterpret_cast<std::uintptr_t>(storage_.data());
    return storage_.data() + (0 - address / sizeof(Word)) % line;
  }

 private:
  Words storage_;
};

template <class Cpu>
void multiply(Word* out, const Word* a, const Word* b, const Shape& shape) {
  const std::size_t depth_most = std::min(Cpu::depth_block, shape.k);
  const std::size_t rows_most = round_up(std::min(Cpu::row_block, shape.m), Cpu::rows);
  const std::size_t columns_most = round_up(std::min(Cpu::column_block, shape.n), Cpu::columns);
  PackingBuffer a_block(rows_most * depth_most);
  PackingBuffer b_block(columns_most * depth_most);
  for (std::size_t j = 0; j < shape.n; j += Cpu::column_block) {
    for (std::size_t p = 0; p < shape.k; p += Cpu::depth_block) {
      Shape block{0, std::min(Cpu::depth_block, shape.k - p), std::min(Cpu::column_block, shape.n - j)};
      pack_columns<Cpu::columns>(b_block.data(), b + p * shape.n + j, shape.n, block.n, block.k);
      for (std::size_t i = 0; i < shape.m; i += Cpu::row_block) {
        block.m = std::min(Cpu::row_block, shape.m - i);
        pack_rows<Cpu::rows>(a_block.data(), a + i * shape.k + p, shape.k, block.m, block.k);
        multiply_block<Cpu>(out + i * shape.n + j, shape.n, a_block.data(), b_block.data(), block);
      }
    }
  }
}

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

// Packing saves no time if b fits the second-level cache, and if the rows of b do not all begin in the same few sets of
// the first-level cache.
bool unpacked_is_faster(const Shape& shape) {
  if (shape.n < 16) return true;
  const bool crowded = shape.n % 256 == 0 && shape.m > 64;
  return shape.k * shape.n <= 16384 && !crowded;
}

}  // namespace

void avx2::matmul_add(Word* out, const Word* a, const Word* b, std::size_t m, std::size_t k, std::size_t n) {
  const Shape shape{m, k, n};
  if (m < few_rows || n < avx2::tile_columns || m * k * n < 4096) {
    return multiply_by_rows<avx2::scale_add>(out, a, b, shape);
  }
  multiply<Avx2>(out, a, b, shape);
}

void avx512::matmul_add(Word* out, const Word* a, const Word* b, std::size_t m, std::size_t k, std::size_t n) {
  const Shape shape{m, k, n};
  if (unpacked_is_faster(shape)) return avx512::matmul_add_unpacked(out, a, b, m, k, n);
  if (m < few_rows) return multiply_by_rows<avx512::scale_add>(out, a, b, shape);
  multiply<Avx512>(out, a, b, shape);
}

}  // namespace sotto::kernel

#endif
