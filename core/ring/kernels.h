// Arithmetic over Z/2^64 on raw words: the inner loops of all computations, one table for each kind of CPU.
//
// kernels() picks the fastest table for this CPU, once. The environment variable SOTTO_CPU (baseline, avx2, mixed or
// avx512) overrides the choice. The table mixed is the table avx2 with the large matrix products of avx512. The first
// CPUs with AVX-512 (Skylake to Cooper Lake) lower their clock for milliseconds after any AVX-512 instruction. At the
// lower clock, the work between two messages loses more time than AVX-512 saves in the arithmetic. All tables compute
// equal words. Counts may be 0. `out` may be the same array as the input of add, subtract, scale_add and multiply_add,
// and must not overlap the inputs of the products. Matrices are row-major and dense. No pointer needs to be aligned
// beyond its type. Execution times do not depend on the words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace sotto {

struct Kernels {
  using Word = std::uint64_t;

  const char* name;
  // The name of the table of random expansion, packing and transfers that matches this table. Both tables have the same
  // name, except that the table avx2 matches the table mixed.
  const char* companion;

  // out[i] += a[i]
  void (*add)(Word* out, const Word* a, std::size_t n);
  // out[i] -= a[i]
  void (*subtract)(Word* out, const Word* a, std::size_t n);
  // out[i] = a[i] * b[i]
  void (*multiply)(Word* out, const Word* a, const Word* b, std::size_t n);
  // out[i] = factor * a[i]
  void (*scale)(Word* out, Word factor, const Word* a, std::size_t n);
  // out[i] += a[i] * b[i]
  void (*multiply_add)(Word* out, const Word* a, const Word* b, std::size_t n);
  // out[i] += factor * a[i]
  void (*scale_add)(Word* out, Word factor, const Word* a, std::size_t n);
  // the sum of a[i] * b[i]
  Word (*dot)(const Word* a, const Word* b, std::size_t n);
  // out[i] += sum over j of matrix[i][j] * vector[j]; matrix is rows x columns
  void (*matvec_add)(Word* out, const Word* matrix, const Word* vector, std::size_t rows, std::size_t columns);
  // out[i][j] += sum over p of a[i][p] * b[p][j]; a is m x k, b is k x n, out is m x n.
  // May throw std::bad_alloc for its packing buffer.
  void (*matmul_add)(Word* out, const Word* a, const Word* b, std::size_t m, std::size_t k, std::size_t n);

  // A triangle holds the upper half of a symmetric d x d matrix, row by row: d entries from (0,0) on, d - 1 from (1,1)
  // on, and so forth.
  // out[i] += sum over j of matrix[i][j] * y[j]
  void (*symmetric_matvec_add)(Word* out, const Word* triangle, const Word* y, std::size_t d);
  // Like symmetric_matvec_add, but `pairs` has a separate word for each product in which an entry of the matrix is
  // used. For each row i, first come the words of (i,i) (i,i+1) .. that are used for out[i]. Then come the words of
  // (i,i+1) .. that are used for out[i+1] ..:
  //     out[i] += matrix[i][j] * pair,  out[j] += matrix[i][j] * pair'  for i < j.
  void (*symmetric_pairs_add)(Word* out, const Word* triangle, const Word* pairs, std::size_t d);
  // out[(i,j)] += x[i] * y[j]; out is a triangle
  void (*symmetric_outer_add)(Word* out, const Word* x, const Word* y, std::size_t d);
  // out[(i,j)] = a[i] * b[j] + b[i] * a[j] + p[i] * q[j] + q[i] * p[j]; out is a triangle
  void (*symmetric_outer_sum)(Word* out, const Word* a, const Word* b, const Word* p, const Word* q, std::size_t d);
  // out[(i,j)] = y[j] * pairs[(i,j)]; out and pairs are triangles
  void (*triangle_columns)(Word* out, const Word* y, const Word* pairs, std::size_t d);

  // out[i] = plus * a[i] * b[i] - a[i] * mb[i] - ma[i] * b[i]: a party's part of a product of two masked values.
  // plus is 0 or 1.
  void (*masked_multiply)(Word* out, const Word* a, const Word* ma, const Word* b, const Word* mb, Word plus,
                          std::size_t n);
  // out[i] += factor * (plus * a[i] - ma[i]): a multiple of a party's share of a masked value.
  // plus is 0 or 1.
  void (*masked_scale_add)(Word* out, Word factor, const Word* a, const Word* ma, Word plus, std::size_t n);

  // For a truncation by f bits, 1 <= f <= 62 (include/sotto/protocol/arithmetic/mask_trunc.h):
  // mask[i] = (low 63 bits of r[i] >> f) - 2^(63-f) top[i], top[i] = bit 63 of r[i]
  void (*truncation_mask)(Word* mask, Word* top, const Word* r, unsigned f, std::size_t n);
  // k = bit 63 of c[i]; c[i] = (low 63 bits of c[i] >> f) - 2^(62-f) + 2^(63-f) k;
  // mask[i] += k 2^(64-f) top[i]; top[i] = k
  void (*truncate_opened)(Word* c, Word* mask, Word* top, unsigned f, std::size_t n);
};

// The table of this process. Throws InputError if SOTTO_CPU names no table that this CPU runs.
[[nodiscard]] const Kernels& kernels();

// All tables that this CPU runs: baseline first, the fastest on this CPU last.
[[nodiscard]] std::vector<const Kernels*> available_kernels();

// The table `name`, or the fastest table for this CPU if the name is empty. Throws InputError if this CPU runs no such
// table.
[[nodiscard]] const Kernels& kernels_named(std::string_view name);

// Other tables of inner loops follow the choice of kernels(). Random expansion, packing and transfers use the matching
// table (`companion`). Long work without messages (apps/) uses the fastest table if the chosen table is mixed.
//
// Returns the table in `tables` (slowest first) that is called `name`, or the last and fastest table if no table has
// that name. If the CPU cannot run the table `name`, `tables` lacks that table, and the last table is the next slower
// one. The names are baseline, avx2 and avx512.
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
