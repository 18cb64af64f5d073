#include "sotto/apps/robin/lanes/lane_kernels.h"

#include "sotto/apps/robin/lanes/lane_tables.h"
#include "sotto/core/ring/choose_table.h"

namespace sotto::apps {
namespace {

constexpr LaneKernels baseline_table = {"baseline", lane_baseline::normals,
                                        lane_baseline::normalize, lane_baseline::products,
                                        lane_baseline::greedy};

#if defined(__x86_64__)
constexpr LaneKernels avx2_table = {"avx2", lane_avx2::normals, lane_avx2::normalize,
                                    lane_avx2::products, lane_avx2::greedy};

constexpr LaneKernels avx512_table = {"avx512", lane_avx512::normals, lane_avx512::normalize,
                                      lane_avx512::products, lane_avx512::greedy};
#endif

}  // namespace

std::vector<const LaneKernels*> available_lane_kernels() {
  std::vector<const LaneKernels*> tables = {&baseline_table};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) tables.push_back(&avx2_table);
  if (__builtin_cpu_supports("avx512f")) tables.push_back(&avx512_table);
#endif
  return tables;
}

const LaneKernels& lane_kernels() {
  static const LaneKernels& chosen =
      table_up_to<LaneKernels>(kernels().name, available_lane_kernels());
  return chosen;
}

}  // namespace sotto::apps
