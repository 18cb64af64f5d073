// The functions behind kernels.h, one set for each kind of CPU.
//
// Files for one kind of CPU contain only intrinsics and raw pointers. If they called an inline library function, the
// linker might keep their copy of the function for all callers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/ring/kernels.h"

namespace sotto::kernel {

using Word = std::uint64_t;

// A register tile: adds the product of a (rows x depth) panel and a (depth x columns) panel to out, for depth >= 1.
using Tile = void (*)(Word* out, std::size_t out_stride, const Word* a_panel, const Word* b_panel, std::size_t depth);

namespace baseline {
#include "core/ring/kernel_set.inc"
}  // namespace baseline

namespace avx2 {
inline constexpr std::size_t tile_rows = 4;
inline constexpr std::size_t tile_columns = 4;
#include "core/ring/kernel_set.inc"
void tile(Word* out, std::size_t out_stride, const Word* a_panel, const Word* b_panel, std::size_t depth);
}  // namespace avx2

namespace avx512 {
inline constexpr std::size_t tile_rows = 12;
inline constexpr std::size_t tile_columns = 16;
#include "core/ring/kernel_set.inc"
void tile(Word* out, std::size_t out_stride, const Word* a_panel, const Word* b_panel, std::size_t depth);
void matmul_add_unpacked(Word* out, const Word* a, const Word* b, std::size_t m, std::size_t k, std::size_t n);
}  // namespace avx512

}  // namespace sotto::kernel
