#include "sotto/core/ring/kernels.h"

#include <cstdlib>
#include <string>

#include "sotto/core/error/errors.h"
#include "sotto/core/ring/kernels_tables.h"

namespace sotto {
namespace {

constexpr Kernels baseline_table = {"baseline",
                                    kernel::baseline::add,
                                    kernel::baseline::subtract,
                                    kernel::baseline::multiply,
                                    kernel::baseline::scale,
                                    kernel::baseline::multiply_add,
                                    kernel::baseline::scale_add,
                                    kernel::baseline::dot,
                                    kernel::baseline::matvec_add,
                                    kernel::baseline::matmul_add,
                                    kernel::baseline::symmetric_matvec_add,
                                    kernel::baseline::symmetric_pairs_add,
                                    kernel::baseline::symmetric_outer_add,
                                    kernel::baseline::symmetric_outer_sum,
                                    kernel::baseline::triangle_columns,
                                    kernel::baseline::masked_multiply,
                                    kernel::baseline::masked_scale_add,
                                    kernel::baseline::truncation_mask,
                                    kernel::baseline::truncate_opened};

#if defined(__x86_64__)
constexpr Kernels avx2_table = {"avx2",
                                kernel::avx2::add,
                                kernel::avx2::subtract,
                                kernel::avx2::multiply,
                                kernel::avx2::scale,
                                kernel::avx2::multiply_add,
                                kernel::avx2::scale_add,
                                kernel::avx2::dot,
                                kernel::avx2::matvec_add,
                                kernel::avx2::matmul_add,
                                kernel::avx2::symmetric_matvec_add,
                                kernel::avx2::symmetric_pairs_add,
                                kernel::avx2::symmetric_outer_add,
                                kernel::avx2::symmetric_outer_sum,
                                kernel::avx2::triangle_columns,
                                kernel::avx2::masked_multiply,
                                kernel::avx2::masked_scale_add,
                                kernel::avx2::truncation_mask,
                                kernel::avx2::truncate_opened};

constexpr Kernels avx512_table = {"avx512",
                                  kernel::avx512::add,
                                  kernel::avx512::subtract,
                                  kernel::avx512::multiply,
                                  kernel::avx512::scale,
                                  kernel::avx512::multiply_add,
                                  kernel::avx512::scale_add,
                                  kernel::avx512::dot,
                                  kernel::avx512::matvec_add,
                                  kernel::avx512::matmul_add,
                                  kernel::avx512::symmetric_matvec_add,
                                  kernel::avx512::symmetric_pairs_add,
                                  kernel::avx512::symmetric_outer_add,
                                  kernel::avx512::symmetric_outer_sum,
                                  kernel::avx512::triangle_columns,
                                  kernel::avx512::masked_multiply,
                                  kernel::avx512::masked_scale_add,
                                  kernel::avx512::truncation_mask,
                                  kernel::avx512::truncate_opened};
#endif

}  // namespace

std::vector<const Kernels*> available_kernels() {
  std::vector<const Kernels*> tables = {&baseline_table};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) tables.push_back(&avx2_table);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) {
    tables.push_back(&avx512_table);
  }
#endif
  return tables;
}

const Kernels& kernels_named(std::string_view name) {
  const auto tables = available_kernels();
  if (name.empty()) return *tables.back();
  std::string choice;
  for (const Kernels* table : tables) {
    if (name == table->name) return *table;
    choice += (choice.empty() ? "" : ", ") + std::string(table->name);
  }
  throw InputError("SOTTO_CPU", "this CPU has no kernels named '" + std::string(name) +
                                    "'; choose one of: " + choice);
}

const Kernels& kernels() {
  static const Kernels& chosen = [&]() -> const Kernels& {
    const char* wish = std::getenv("SOTTO_CPU");
    return kernels_named(wish == nullptr ? "" : wish);
  }();
  return chosen;
}

}  // namespace sotto
