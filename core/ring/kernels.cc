#include "core/ring/kernels.h"

#include <cstdlib>
#include <string>

#include "core/ring/kernels_tables.h"
#include "sotto/protocol/error/errors.h"

namespace sotto {
namespace {

constexpr Kernels baseline_table = kernel::baseline::table("baseline");
#if defined(__x86_64__)
constexpr Kernels avx2_table = kernel::avx2::table("avx2");
constexpr Kernels avx512_table = kernel::avx512::table("avx512");

constexpr std::size_t large_product = std::size_t{1} << 20;

void mixed_matmul_add(std::uint64_t* out, const std::uint64_t* a, const std::uint64_t* b, std::size_t m, std::size_t k,
                      std::size_t n) {
  const Kernels& table = m * k * n < large_product ? avx2_table : avx512_table;
  table.matmul_add(out, a, b, m, k, n);
}

constexpr Kernels mixed_table = [] {
  Kernels table = avx2_table;
  table.name = "mixed";
  table.matmul_add = mixed_matmul_add;
  return table;
}();

// True for the CPUs from Skylake to Cooper Lake. All later CPUs with AVX-512 have VBMI2.
bool slows_down_by_avx512() { return !__builtin_cpu_supports("avx512vbmi2"); }
#endif

}  // namespace

std::vector<const Kernels*> available_kernels() {
  std::vector<const Kernels*> tables = {&baseline_table};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) tables.push_back(&avx2_table);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) {
    const bool slows_down = slows_down_by_avx512();
    tables.push_back(slows_down ? &avx512_table : &mixed_table);
    tables.push_back(slows_down ? &mixed_table : &avx512_table);
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
  throw InputError("SOTTO_CPU", "this CPU has no kernels named '" + std::string(name) + "'; choose one of: " + choice);
}

const Kernels& kernels() {
  static const Kernels& chosen = [&]() -> const Kernels& {
    const char* wish = std::getenv("SOTTO_CPU");
    return kernels_named(wish == nullptr ? "" : wish);
  }();
  return chosen;
}

}  // namespace sotto
