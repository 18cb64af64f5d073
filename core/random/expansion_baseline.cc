// Plain loops, for any CPU. The cipher is OpenSSL's here, so that functions of the stream are null.
#include <cstring>

#include "sotto/core/random/expansion_tables.h"

namespace sotto::kernel {
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
    {{combine_lanes<store, std::uint8_t>, combine_lanes<store, std::uint16_t>,
      combine_lanes<store, std::uint32_t>, combine_lanes<store, std::uint64_t>},
     {combine_lanes<add, std::uint8_t>, combine_lanes<add, std::uint16_t>,
      combine_lanes<add, std::uint32_t>, combine_lanes<add, std::uint64_t>},
     {combine_lanes<subtract, std::uint8_t>, combine_lanes<subtract, std::uint16_t>,
      combine_lanes<subtract, std::uint32_t>, combine_lanes<subtract, std::uint64_t>},
     {combine_lanes<exclusive_or, std::uint8_t>, combine_lanes<exclusive_or, std::uint16_t>,
      combine_lanes<exclusive_or, std::uint32_t>, combine_lanes<exclusive_or, std::uint64_t>}}};

}  // namespace sotto::kernel
