#include "sotto/apps/p2b/nearest_kernels.h"

#include "sotto/apps/p2b/nearest_tables.h"
#include "sotto/core/ring/choose_table.h"

namespace sotto::apps {

namespace {

constexpr NearestKernels baseline_table = {"baseline", nearest_baseline::find};
#if defined(__x86_64__)
constexpr NearestKernels avx2_table = {"avx2", nearest_avx2::find};
constexpr NearestKernels avx512_table = {"avx512", nearest_avx512::find};
#endif

}  // namespace

std::vector<const NearestKernels*> available_nearest_kernels() {
  std::vector<const NearestKernels*> tables = {&baseline_table};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) tables.push_back(&avx2_table);
  if (__builtin_cpu_supports("avx512f")) tables.push_back(&avx512_table);
#endif
  return tables;
}

const NearestKernels& nearest_kernels() {
  static const NearestKernels& chosen =
      table_up_to<NearestKernels>(kernels().name, available_nearest_kernels());
  return chosen;
}

}  // namespace sotto::apps
