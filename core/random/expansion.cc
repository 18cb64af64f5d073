#include "sotto/protocol/random/expansion.h"

#include <cstring>

#include "core/ring/kernels.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace sotto {
namespace kernel {
namespace {

using Word = Expansion::Word;
using Byte = Expansion::Byte;

template <Combine how>
Word combined(Word old, Word fresh) {
  if constexpr (how == Combine::add) return old + fresh;
  if constexpr (how == Combine::subtract) return old - fresh;
  if constexpr (how == Combine::exclusive_or) return old ^ fresh;
  return fresh;
}

template <Combine how, class Lane>
void combine_lanes(Word* out, const Byte* in, std::size_t lanes, Word mask) {
  for (std::size_t i = 0; i < lanes; ++i) {
    Lane lane;
    std::memcpy(&lane, in + i * sizeof(Lane), sizeof(Lane));
    out[i] = combined<how>(out[i], lane) & mask;
  }
}

}  // namespace

using enum Combine;

const Expansion baseline_expansion = {
    "baseline",
    nullptr,
    nullptr,
    {nullptr, nullptr, nullptr, nullptr},
    {{combine_lanes<store, std::uint8_t>, combine_lanes<store, std::uint16_t>, combine_lanes<store, std::uint32_t>,
      combine_lanes<store, std::uint64_t>},
     {combine_lanes<add, std::uint8_t>, combine_lanes<add, std::uint16_t>, combine_lanes<add, std::uint32_t>,
      combine_lanes<add, std::uint64_t>},
     {combine_lanes<subtract, std::uint8_t>, combine_lanes<subtract, std::uint16_t>,
      combine_lanes<subtract, std::uint32_t>, combine_lanes<subtract, std::uint64_t>},
     {combine_lanes<exclusive_or, std::uint8_t>, combine_lanes<exclusive_or, std::uint16_t>,
      combine_lanes<exclusive_or, std::uint32_t>, combine_lanes<exclusive_or, std::uint64_t>}}};

}  // namespace kernel

namespace {

#if defined(__x86_64__)
bool has_vaes() {
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 && (ecx & (1U << 9)) != 0;
}

const Expansion& avx2_with_vaes() {
  static const Expansion table = [] {
    Expansion with = kernel::avx2_expansion;
    kernel::use_vaes(with);
    return with;
  }();
  return table;
}
#endif

}  // namespace

std::vector<const Expansion*> available_expansions() {
  std::vector<const Expansion*> tables = {&kernel::baseline_expansion};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("aes")) {
    tables.push_back(has_vaes() ? &avx2_with_vaes() : &kernel::avx2_expansion);
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
        has_vaes()) {
      tables.push_back(&kernel::avx512_expansion);
    }
  }
#endif
  return tables;
}

const Expansion& expansion() {
  static const Expansion& chosen = table_up_to(kernels().companion, available_expansions());
  return chosen;
}

}  // namespace sotto
