#include "apps/kit/learn/factor_kernels.h"

#include "core/ring/kernels.h"

#define SOTTO_FACTORS baseline_factor_kernels
#define SOTTO_CPU_NAME "baseline"
#define SOTTO_VECTOR_BYTES 16
#define SOTTO_TILE_ROWS 2
#define SOTTO_PANEL_ROWS 2
#include "apps/kit/learn/factor_kernels.inc"

namespace sotto::apps {

std::vector<const FactorKernels*> available_factor_kernels() {
  std::vector<const FactorKernels*> tables = {&baseline_factor_kernels};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    tables.push_back(&avx2_factor_kernels);
  }
  if (__builtin_cpu_supports("avx512f")) tables.push_back(&avx512_factor_kernels);
#endif
  return tables;
}

const FactorKernels& factor_kernels() {
  static const FactorKernels& chosen = table_up_to(kernels().name, available_factor_kernels());
  return chosen;
}

}  // namespace sotto::apps
