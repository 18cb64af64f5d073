#include "sotto/apps/kit/learn/factor_kernels.h"

#include "sotto/apps/kit/learn/factor_tables.h"
#include "sotto/core/ring/choose_table.h"

namespace sotto::apps {
namespace {

constexpr FactorKernels baseline_table = {"baseline",
                                          factor_baseline::copy_finite,
                                          factor_baseline::dot,
                                          factor_baseline::project,
                                          factor_baseline::gram_add,
                                          factor_baseline::shrink,
                                          factor_baseline::multiply};

#if defined(__x86_64__)
constexpr FactorKernels avx2_table = {"avx2",
                                      factor_avx2::copy_finite,
                                      factor_avx2::dot,
                                      factor_avx2::project,
                                      factor_avx2::gram_add,
                                      factor_avx2::shrink,
                                      factor_avx2::multiply};

constexpr FactorKernels avx512_table = {"avx512",
                                        factor_avx512::copy_finite,
                                        factor_avx512::dot,
                                        factor_avx512::project,
                                        factor_avx512::gram_add,
                                        factor_avx512::shrink,
                                        factor_avx512::multiply};
#endif

}  // namespace

std::vector<const FactorKernels*> available_factor_kernels() {
  std::vector<const FactorKernels*> tables = {&baseline_table};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    tables.push_back(&avx2_table);
  }
  if (__builtin_cpu_supports("avx512f")) tables.push_back(&avx512_table);
#endif
  return tables;
}

const FactorKernels& factor_kernels() {
  static const FactorKernels& chosen =
      table_up_to<FactorKernels>(kernels().name, available_factor_kernels());
  return chosen;
}

}  // namespace sotto::apps
