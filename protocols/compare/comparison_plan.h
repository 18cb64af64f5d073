// How a comparison of k bits is cut into tables, chosen so that the least is dealt.
#pragma once

#include <cstddef>

#include "core/async/pool.h"

namespace sotto::protocols {

struct ComparisonPlan {
  unsigned bits;                // k: the compared value lies in [-2^(k-1), 2^(k-1))
  PoolVector<unsigned> blocks;  // widths of the digits of the low k-1 bits, lowest first

  // The ring in which the signs of the digits are added up: Z/2^(blocks + 1), at most 8 bits.
  [[nodiscard]] unsigned sum_bits() const { return static_cast<unsigned>(blocks.size()) + 1; }
};

// The plan that deals the fewest bits for results in Z/2^result_bits. 2 <= k <= 63
// (std::invalid_argument). Digit i needs a table of 2^width entries in Z/2^(blocks + 1 - i), since
// its sign weighs 2^i; so the widest go on top.
[[nodiscard]] ComparisonPlan plan_comparison(unsigned bits, unsigned result_bits);

// Bits that a comparison by this plan deals.
[[nodiscard]] std::size_t dealt_bits(const ComparisonPlan& plan, unsigned result_bits);

}  // namespace sotto::protocols
