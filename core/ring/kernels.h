// Arithmetic over Z/2^64 on raw words, in one table for each kind of CPU.
//
// All tables compute equal words, in times that do not depend on the words. Counts may be 0. `out` may be the input of
// add, subtract, scale_add and multiply_add, and must not overlap the inputs of the products. Matrices are row-major
// and dense.
//
// The first call of kernels() chooses the fastest table for this CPU, or the table that the environment variable
// SOTTO_CPU names (baseline, avx2, mixed or avx512). CPUs from Skylake to Cooper Lake lower their clock for
// milliseconds after any AVX-512 instruction. For these CPUs, the table mixed has the functions of avx2, except for the
// large matrix products of avx512.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace sotto {

struct Kernels {
  using Word = std::uint64_t;

  const char* name;
  // Other headers have tables too (expansion.h, transfer_kernels.h). `companion` is the name of the table that they use
  // together with this table: avx2 for mixed, else `name`.
  const char* companion;

  // out[i] += a[i]
  void (*add)(Word* out, const Word* a, std::size_t n);
  // out[i] -= a[i]
  void (*subtract)(Word* out, const Word* a, std::size_t n);
  void (*multiply)(Word* out, const Word* a, const Word* b, std::size_t n);
  void (*scale)(Word* out, Word factor, const Word* a, std::size_t n);
  // out[i] += a[i] * b[i]
  void (*multiply_add)(Word* out, const Word* a, const Word* b, std::size_t n);
  // out[i] += factor * a[i]
  void (*scale_add)(Word* out, Word factor, const Word* a, std::size_t n);
  Word (*dot)(const Word* a, const Word* b, std::size_t n);
  // out[i] += sum over j of matrix[i][j] * vector[j]; matrix is rows x columns
  void (*matvec_add)(Word* out, const Word* matrix, const Word* vector, std::size_t rows, std::size_t columns);
  // out[i][j] += sum over p of a[i][p] * b[p][j]; a is m x k, b is k x n, out is m x n. May throw std::bad_alloc.
  void (*matmul_add)(Word* out, const Word* a, const Word* b, std::size_t m, std::size_t k, std::size_t n);

  // A triangle is the upper half of a symmetric d x d matrix, row by row.
  // out[i] += sum over j of matrix[i][j] * y[j]
  void (*symmetric_matvec_add)(Word* out, const Word* triangle, const Word* y, std::size_t d);
  // Like symmetric_matvec_add, but each product uses its own word of `pairs` in place of y[j]. `pairs` has two lists of
  // words for each row i of the triangle. The first list has a word for each of the entries (i,i), (i,i+1), ..., whose
  // products are added to out[i]. The second list has a word for each of the entries (i,i+1), (i,i+2), ..., whose
  // products are added to out[i+1], out[i+2], ...
  void (*symmetric_pairs_add)(Word* out, const Word* triangle, const Word* pairs, std::size_t d);
  // out[(i,j)] += x[i] * y[j]; out is a triangle
  void (*symmetric_outer_add)(Word* out, const Word* x, const Word* y, std::size_t d);
  // out[(i,j)] = a[i] * b[j] + b[i] * a[j] + p[i] * q[j] + q[i] * p[j]; out is a triangle
  void (*symmetric_outer_sum)(Word* out, const Word* a, const Word* b, const Word* p, const Word* q, std::size_t d);
  // out[(i,j)] = y[j] * pairs[(i,j)]; out and pairs are triangles
  void (*triangle_columns)(Word* out, const Word* y, const Word* pairs, std::size_t d);

  // out[i] = plus * a[i] * b[i] - a[i] * mb[i] - ma[i] * b[i]; plus is 0 or 1.
  void (*masked_multiply)(Word* out, const Word* a, const Word* ma, const Word* b, const Word* mb, Word plus,
                          std::size_t n);
  // out[i] += factor * (plus * a[i] - ma[i]); plus is 0 or 1.
  void (*masked_scale_add)(Word* out, Word factor, const Word* a, const Word* ma, Word plus, std::size_t n);

  // For a truncation by f bits, 1 <= f <= 62 (include/sotto/protocol/arithmetic/mask_trunc.h):
  // top[i] = bit 63 of r[i], and mask[i] = ((low 63 bits of r[i]) >> f) - 2^(63-f) top[i].
  void (*truncation_mask)(Word* mask, Word* top, const Word* r, unsigned f, std::size_t n);
  // Let k be bit 63 of c[i]. Then c[i] becomes ((low 63 bits of c[i]) >> f) - 2^(62-f) + 2^(63-f) k.
  // k 2^(64-f) top[i] is added to mask[i], and then top[i] becomes k.
  void (*truncate_opened)(Word* c, Word* mask, Word* top, unsigned f, std::size_t n);
};

// Throws InputError if SOTTO_CPU names no table that this CPU runs.
[[nodiscard]] const Kernels& kernels();

[[nodiscard]] std::vector<const Kernels*> available_kernels();

// The table with this name, or the fastest table if `name` is empty. Throws InputError if this CPU runs no such table.
[[nodiscard]] const Kernels& kernels_named(std::string_view name);

// The table with this name in `tables` (slowest first), or the last table if none has it.
template <class Table>
[[nodiscard]] const Table& table_up_to(std::string_view name, const std::vector<const Table*>& tables) {
  const Table* best = tables.front();
  for (const Table* table : tables) {
    if (best->name == name) break;
    best = table;
  }
  return *best;
}

}  // namespace sotto
