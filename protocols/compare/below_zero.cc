#include "sotto/protocol/compare/below_zero.h"

#include <algorithm>
#include <limits>
#include <span>
#include <stdexcept>
#include <utility>

#include "sotto/protocol/convert/convert.h"
#include "sotto/protocol/io/mask.h"
#include "sotto/protocol/lookup/table_lookup.h"
#include "sotto/protocol/ring/fixed_point.h"
#include "sotto/protocol/sharing/share_access.h"

namespace sotto::protocols {
namespace {

Arith sum_of_signs(Party& party, const MaskedIndex& x, const ComparisonPlan& plan) {
  Words sum(ShareAccess::words(x).size(), 0);
  unsigned low = 0;
  for (unsigned i = 0; i < plan.digits; ++i) {
    const Tables tables{x.lanes(), plan.widths[i],          plan.ring_bits(i), ShareAccess::words(x),
                        low,       ComparisonPlan::raise(i)};
    party.preprocessing().digit_tables(tables, i == 0, ShareAccess::mask(x), sum);
    low += plan.widths[i];
  }
  const std::uint64_t ring = ring_mask(plan.sum_bits());
  for (std::uint64_t& word : sum) word &= ring;
  return Arith(x.shape(), 0, std::move(sum), plan.sum_bits());
}

// The part of [x < 0] that depends on the masks: m_top xor (top bit of m_s) xor [D_s' < m_s'], with the symbols of
// below_zero.h.
Arith top_bit_or_borrow(Party& party, const MaskedIndex& x, unsigned top, const MaskedIndex& sum,
                        unsigned result_bits) {
  const auto request = [&](const Tables& tables, std::span<std::uint64_t> bits) {
    party.preprocessing().borrow_tables(tables, ShareAccess::mask(x), top, ShareAccess::mask(sum), bits);
  };
  return taken_entries(sum, sum.bits() - 1, result_bits, request);
}

void flip_where_set(const Party& party, const MaskedIndex& x, unsigned top, const MaskedIndex& sum, Arith& bit) {
  const Words& d = ShareAccess::words(x);
  const Words& d_sum = ShareAccess::words(sum);
  Words& shares = ShareAccess::words(bit);
  const unsigned half = sum.bits() - 1;
  const std::uint64_t ring = ring_mask(bit.bits());
  // Let b be a party's share of a bit. Then the party's share of the flipped bit is 1 - b = ~b + 2 at party 0, else -b
  // = ~b + 1.
  const std::uint64_t carry = party.adds_constants() ? 2 : 1;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const std::uint64_t flip = std::uint64_t{0} - (((d[i] >> top) ^ (d_sum[i] >> half)) & 1);
    shares[i] = ((shares[i] ^ flip) + (carry & flip)) & ring;
  }
}

constexpr unsigned widest_digit = 12;

std::size_t digit_cost(const ComparisonPlan& plan, unsigned i) {
  return (std::size_t{1} << plan.widths[i]) * plan.ring_bits(i);
}

// Starts with one bit in each digit, and adds each further bit to the digit where the bit costs least. The plan is
// optimal because the cost of a digit is convex in its width.
ComparisonPlan plan_with(unsigned bits, unsigned digits) {
  ComparisonPlan plan{bits, digits, {}};
  std::fill_n(plan.widths.begin(), digits, std::uint8_t{1});
  for (unsigned given = digits; given < bits - 1; ++given) {
    unsigned best = 0;
    std::size_t least = std::numeric_limits<std::size_t>::max();
    for (unsigned i = 0; i < digits; ++i) {
      const std::size_t extra = digit_cost(plan, i);
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

Task<Arith> below_zero(Party& party, MaskedIndex x, ComparisonPlan plan, unsigned result_bits, Label label) {
  if (x.bits() < plan.bits) throw std::invalid_argument("the compared value has fewer bits than the comparison");
  Arith signs = sum_of_signs(party, x, plan);
  const MaskedIndex sum = co_await mask_index(party, std::move(signs), label);

  const unsigned top = plan.bits - 1;
  Arith negative = top_bit_or_borrow(party, x, top, sum, result_bits);
  flip_where_set(party, x, top, sum, negative);
  co_return negative;
}

Task<Arith> less_than(Party& party, Masked x, Masked y, unsigned k, Label label) {
  const Masked difference = x - y;
  co_return co_await below_zero(party, MaskedIndex::bit_range(difference, 0, k), plan_comparison(k, 64), 64, label);
}

std::size_t dealt_bits(const ComparisonPlan& plan, unsigned result_bits) {
  std::size_t bits = (std::size_t{1} << (plan.digits - 1)) * result_bits;
  for (unsigned i = 0; i < plan.digits; ++i) bits += digit_cost(plan, i);
  return bits;
}

ComparisonPlan plan_comparison(unsigned bits, unsigned result_bits) {
  if (bits < 2 || bits > 63) throw std::invalid_argument("a comparison takes 2 to 63 bits");
  if (result_bits < 1 || result_bits > 64) throw std::invalid_argument("a ring has 1 to 64 bits");
  thread_local std::array<Remembered, 64> remembered;
  Remembered& slot = remembered[(bits * 5 + result_bits) % remembered.size()];
  if (slot.plan.bits != bits || slot.result_bits != result_bits) {
    slot = Remembered{result_bits, best_plan(bits, result_bits)};
  }
  return slot.plan;
}

Task<Arith> below_zero_by_circuit(Party& party, Arith value, unsigned result_bits, Label label) {
  const Bool negative = co_await sign_of(party, std::move(value), label);
  co_return co_await bool_to_arith(party, negative, result_bits, label);
}

Task<Arith> less_than_by_circuit(Party& party, Arith x, Arith y, Label label) {
  co_return co_await below_zero_by_circuit(party, x - y, 64, label);
}

}  // namespace sotto::protocols
