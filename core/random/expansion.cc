#include "sotto/core/random/expansion.h"

#include "sotto/core/random/expansion_tables.h"
#include "sotto/core/ring/choose_table.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace sotto {
namespace {

#if defined(__x86_64__)
// clang 14 has no name for it in __builtin_cpu_supports.
bool has_vaes() {
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 && (ecx & (1U << 9)) != 0;
}
#endif

}  // namespace

std::vector<const Expansion*> available_expansions() {
  std::vector<const Expansion*> tables = {&kernel::baseline_expansion};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("aes")) {
    tables.push_back(&kernel::avx2_expansion);
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") && has_vaes()) {
      tables.push_back(&kernel::avx512_expansion);
    }
  }
#endif
  return tables;
}

const Expansion& expansion() {
  static const Expansion& chosen = table_up_to(kernels().name, available_expansions());
  return chosen;
}

}  // namespace sotto
