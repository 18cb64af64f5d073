#include "apps/p2b/nearest_kernels.h"

#include "core/ring/kernels.h"

#define SOTTO_NEAREST baseline_nearest_kernels
#define SOTTO_CPU_NAME "baseline"
#define SOTTO_VECTOR_BYTES 16
#include "apps/p2b/nearest_kernel.inc"

namespace sotto::apps::p2b {

std::vector<const NearestKernels*> available_nearest_kernels() {
  std::vector<const NearestKernels*> tables = {&baseline_nearest_kernels};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) tables.push_back(&avx2_nearest_kernels);
  if (__builtin_cpu_supports("avx512f")) tables.push_back(&avx512_nearest_kernels);
#endif
  return tables;
}

const NearestKernels& nearest_kernels() {
  static const NearestKernels& chosen = table_up_to(kernels().name, available_nearest_kernels());
  return chosen;
}

}  // namespace sotto::apps::p2b
