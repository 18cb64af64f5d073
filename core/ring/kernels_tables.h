// The functions behind kernels.h, one set for each kind of CPU. Only kernels.cc, matmul_blocked.cc and the files that
// define a set include this header.
//
// The files that define the avx2 and avx512 sets are compiled for those CPUs. Files with instructions of one kind of
// CPU contain only intrinsics and raw pointers. If an inline function of a library were compiled in such a file, the
// linker might keep that copy for all callers. Loops that every compiler vectorises well are written once, in
// *_kernels.inc. Each set includes the *_kernels.inc files in its own namespace.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/ring/kernels.h"

namespace sotto::kernel {

using Word = std::uint64_t;

// A register tile of a matrix product: adds (rows x depth) * (depth x columns) to out. A tile function has a fixed
// number of rows and of columns. For each p below `depth`, a_panel has `rows` words and b_panel has `columns` words.
// `depth` is at least 1.
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
// Works without a buffer, for products so small that packing costs more than it saves.
void matmul_add_unpacked(Word* out, const Word* a, const Word* b, std::size_t m, std::size_t k, std::size_t n);
}  // namespace avx512

}  // namespace sotto::kernel
