#include "sotto/protocol/compare/below_zero.h"

#include <span>
#include <stdexcept>
#include <utility>

#include "sotto/protocol/io/mask.h"
#include "sotto/protocol/lookup/table_lookup.h"
#include "sotto/protocol/ring/fixed_point.h"
#include "sotto/protocol/sharing/share_access.h"

namespace sotto::protocols {
namespace {

// Step 1: shares of the weighted sum of -[d_0 < m_0] and sign(d_i - m_i), in Z/2^digits.
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

// Step 3, the part in the masks: m_top xor (top bit of m_s) xor [d < low bits of m_s] for the low bits d of D_s.
Arith top_bit_or_borrow(Party& party, const MaskedIndex& x, unsigned top, const MaskedIndex& sum,
                        unsigned result_bits) {
  const auto request = [&](const Tables& tables, std::span<std::uint64_t> bits) {
    party.preprocessing().borrow_tables(tables, ShareAccess::mask(x), top, ShareAccess::mask(sum), bits);
  };
  return taken_entries(sum, sum.bits() - 1, result_bits, request);
}

// Step 3, the public part: 1 - bit where the top bits of D and of D_s differ.
void flip_where_set(const Party& party, const MaskedIndex& x, unsigned top, const MaskedIndex& sum, Arith& bit) {
  const Words& d = ShareAccess::words(x);
  const Words& d_sum = ShareAccess::words(sum);
  Words& shares = ShareAccess::words(bit);
  const unsigned half = sum.bits() - 1;
  const std::uint64_t ring = ring_mask(bit.bits());
  // 1 - b = ~b + 2 at party 0, -b = ~b + 1 at the others.
  const std::uint64_t carry = party.adds_constants() ? 2 : 1;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const std::uint64_t flip = std::uint64_t{0} - (((d[i] >> top) ^ (d_sum[i] >> half)) & 1);
    shares[i] = ((shares[i] ^ flip) + (carry & flip)) & ring;
  }
}

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

}  // namespace sotto::protocols
