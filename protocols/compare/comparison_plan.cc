#include "sotto/protocol/compare/comparison_plan.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace sotto::protocols {
namespace {

constexpr unsigned widest_digit = 12;

std::size_t digit_cost(const ComparisonPlan& plan, unsigned i) {
  return (std::size_t{1} << plan.widths[i]) * plan.ring_bits(i);
}

// For a given number of digits: the next bit goes where it costs least, which is optimal as costs are convex.
ComparisonPlan plan_with(unsigned bits, unsigned digits) {
  ComparisonPlan plan{bits, digits, {}};
  std::fill_n(plan.widths.begin(), digits, std::uint8_t{1});
  for (unsigned given = digits; given < bits - 1; ++given) {
    unsigned best = 0;
    std::size_t least = std::numeric_limits<std::size_t>::max();
    for (unsigned i = 0; i < digits; ++i) {
      const std::size_t extra = digit_cost(plan, i);  // doubling the table costs the table again
      if (extra <= least && plan.widths[i] < widest_digit) {
        least = extra;
        best = i;
      }
    }
    ++plan.widths[best];
  }
  return plan;
}

ComparisonPlan best_plan(unsigned bits, unsigned result_bits) {
  ComparisonPlan best;
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (unsigned digits = 1; digits <= std::min(ComparisonPlan::most_digits, bits - 1); ++digits) {
    if (bits - 1 > digits * widest_digit) continue;
    const ComparisonPlan candidate = plan_with(bits, digits);
    const std::size_t dealt = dealt_bits(candidate, result_bits);
    if (dealt >= least) continue;
    least = dealt;
    best = candidate;
  }
  return best;
}

struct Remembered {
  unsigned result_bits = 0;
  ComparisonPlan plan;
};

}  // namespace

std::size_t dealt_bits(const ComparisonPlan& plan, unsigned result_bits) {
  std::size_t bits = (std::size_t{1} << (plan.digits - 1)) * result_bits;
  for (unsigned i = 0; i < plan.digits; ++i) bits += digit_cost(plan, i);
  return bits;
}

ComparisonPlan plan_comparison(unsigned bits, unsigned result_bits) {
  if (bits < 2 || bits > 63) throw std::invalid_argument("a comparison takes 2 to 63 bits");
  if (result_bits < 1 || result_bits > 64) throw std::invalid_argument("a ring has 1 to 64 bits");
  // Making a plan takes microseconds, and a run makes the same few again and again.
  thread_local std::array<Remembered, 64> remembered;
  Remembered& slot = remembered[(bits * 5 + result_bits) % remembered.size()];
  if (slot.plan.bits != bits || slot.result_bits != result_bits) {
    slot = Remembered{result_bits, best_plan(bits, result_bits)};
  }
  return slot.plan;
}

}  // namespace sotto::protocols
