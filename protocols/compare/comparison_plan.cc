#include "protocols/compare/comparison_plan.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>

namespace sotto::protocols {
namespace {

constexpr unsigned most_blocks = 7;  // the sum of signs then fits a byte
constexpr unsigned widest_digit = 12;

std::size_t digit_cost(unsigned width, unsigned blocks, unsigned position) {
  return (std::size_t{1} << width) * (blocks + 1 - position);
}

// Widths for a given number of blocks: the next bit goes where it costs least, which is optimal as
// costs are convex.
PoolVector<unsigned> widths(unsigned low_bits, unsigned blocks) {
  PoolVector<unsigned> result(blocks, 1);
  for (unsigned given = blocks; given < low_bits; ++given) {
    unsigned best = 0;
    std::size_t least = std::numeric_limits<std::size_t>::max();
    for (unsigned i = 0; i < blocks; ++i) {
      const std::size_t extra =
          digit_cost(result[i], blocks, i);  // doubling the table costs the table again
      if (extra <= least && result[i] < widest_digit) {
        least = extra;
        best = i;
      }
    }
    ++result[best];
  }
  return result;
}

}  // namespace

std::size_t dealt_bits(const ComparisonPlan& plan, unsigned result_bits) {
  const auto blocks = static_cast<unsigned>(plan.blocks.size());
  std::size_t bits = (std::size_t{1} << plan.sum_bits()) * result_bits;
  for (unsigned i = 0; i < blocks; ++i) bits += digit_cost(plan.blocks[i], blocks, i);
  return bits;
}

ComparisonPlan plan_comparison(unsigned bits, unsigned result_bits) {
  if (bits < 2 || bits > 63) throw std::invalid_argument("a comparison takes 2 to 63 bits");
  ComparisonPlan best{bits, widths(bits - 1, 1)};
  for (unsigned blocks = 1; blocks <= std::min(most_blocks, bits - 1); ++blocks) {
    if (bits - 1 > blocks * widest_digit) continue;
    ComparisonPlan candidate{bits, widths(bits - 1, blocks)};
    const bool fits = bits - 1 <= best.blocks.size() * widest_digit;
    if (!fits || dealt_bits(candidate, result_bits) < dealt_bits(best, result_bits))
      best = candidate;
  }
  return best;
}

}  // namespace sotto::protocols
