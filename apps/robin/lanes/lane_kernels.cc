#include "apps/robin/lanes/lane_kernels.h"

#include "core/ring/kernels.h"

#define SOTTO_LANES baseline_lane_kernels
#define SOTTO_CPU_NAME "baseline"
#define SOTTO_VECTOR_BYTES 16
#include "apps/robin/lanes/lane_kernels.inc"

namespace sotto::apps::robin {

std::vector<const LaneKernels*> available_lane_kernels() {
  std::vector<const LaneKernels*> tables = {&baseline_lane_kernels};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) tables.push_back(&avx2_lane_kernels);
  if (__builtin_cpu_supports("avx512f")) tables.push_back(&avx512_lane_kernels);
#endif
  return tables;
}

const LaneKernels& lane_kernels() {
  static const LaneKernels& chosen = table_up_to(kernels().name, available_lane_kernels());
  return chosen;
}

}  // namespace sotto::apps::robin
