// Arithmetic over Z/2^64 on raw words: the inner loops of everything, in one table a kind of CPU.
//
// kernels() picks the fastest table that this CPU runs, once; the environment variable SOTTO_CPU
// (baseline, avx2 or avx512) overrides. All tables give equal words. Counts may be 0. `out` may be
// the same array as the input of add, subtract, scale_add and multiply_add, and must not overlap
// the inputs of the products. Matrices are row-major and dense. No pointer needs to be aligned
// beyond its type. Times do not depend on the words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace sotto {

struct Kernels {
  using Word = std::uint64_t;

  const char* name;

  // out[i] += a[i]
  void (*add)(Word* out, const Word* a, std::size_t n);
  // out[i] -= a[i]
  void (*subtract)(Word* out, const Word* a, std::size_t n);
  // out[i] += a[i] * b[i]
  void (*multiply_add)(Word* out, const Word* a, const Word* b, std::size_t n);
  // out[i] += factor * a[i]
  void (*scale_add)(Word* out, Word factor, const Word* a, std::size_t n);
  // the sum of a[i] * b[i]
  Word (*dot)(const Word* a, const Word* b, std::size_t n);
  // out[i] += sum over j of matrix[i][j] * vector[j]; matrix is rows x columns
  void (*matvec_add)(Word* out, const Word* matrix, const Word* vector, std::size_t rows,
                     std::size_t columns);
  // out[i][j] += sum over p of a[i][p] * b[p][j]; a is m x k, b is k x n, out is m x n.
  // May throw std::bad_alloc for its packing buffer.
  void (*matmul_add)(Word* out, const Word* a, const Word* b, std::size_t m, std::size_t k,
                     std::size_t n);
};

// The table of this process. Throws InputError if SOTTO_CPU names no table that this CPU runs.
[[nodiscard]] const Kernels& kernels();

// All tables that this CPU runs, the slowest (baseline) first.
[[nodiscard]] std::vector<const Kernels*> available_kernels();

// The table `name`, or the fastest for an empty name. Throws InputError if this CPU runs no such
// table.
[[nodiscard]] const Kernels& kernels_named(std::string_view name);

}  // namespace sotto
