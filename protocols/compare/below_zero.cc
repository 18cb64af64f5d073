#include "protocols/compare/below_zero.h"

#include <stdexcept>
#include <utility>

#include "core/ring/fixed_point.h"
#include "core/sharing/share_access.h"
#include "protocols/io/mask.h"
#include "protocols/lookup/look_up.h"

namespace sotto::protocols {
namespace {

// Step 1: shares of the sum of sign(d_i - m_i) 2^i over the digits, in Z/2^(digits + 1).
Arith sum_of_signs(Party& party, const MaskedIndex& x, const ComparisonPlan& plan) {
  const unsigned sum_bits = plan.sum_bits();
  Arith sum(x.shape(), 0, Words(ShareAccess::words(x).size(), 0), sum_bits);
  unsigned low = 0;
  for (unsigned i = 0; i < plan.blocks.size(); ++i) {
    const MaskedIndex digit = x.digit(low, plan.blocks[i]);
    const Arith sign = one_time_table(
        party, digit, sum_bits - i, [](std::size_t, std::uint64_t d, std::uint64_t m) {
          return static_cast<std::uint64_t>(d > m) - static_cast<std::uint64_t>(d < m);
        });
    sum += sign.lifted(i);
    low += plan.blocks[i];
  }
  return sum;
}

// Step 3, the public part: 1 - bit where the top bit of D is set.
void flip_where_set(const Party& party, const MaskedIndex& top, Arith& bit) {
  const Words& flips = ShareAccess::words(top);
  Words& shares = ShareAccess::words(bit);
  const std::uint64_t ring = ring_mask(bit.bits());
  const std::uint64_t one = party.adds_constants() ? 1 : 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (flips[i] != 0) shares[i] = (one - shares[i]) & ring;
  }
}

}  // namespace

Task<Arith> below_zero(Party& party, MaskedIndex x, ComparisonPlan plan, unsigned result_bits,
                       Label label) {
  if (x.bits() < plan.bits)
    throw std::invalid_argument("the compared value has fewer bits than the comparison");
  Arith signs = sum_of_signs(party, x, plan);
  const MaskedIndex sum = co_await mask_index(party, std::move(signs), label);

  const MaskedIndex top = x.digit(plan.bits - 1, 1);
  const Words& top_mask = ShareAccess::mask(top);
  const unsigned half = plan.sum_bits() - 1;
  Arith negative = look_up(party, sum, result_bits, [&](std::size_t lane, std::uint64_t s) {
    return top_mask[lane] ^ (s >> half);
  });
  flip_where_set(party, top, negative);
  co_return negative;
}

Task<Arith> less_than(Party& party, Masked x, Masked y, unsigned k, Label label) {
  const Masked difference = x - y;
  co_return co_await below_zero(party, MaskedIndex::window(difference, 0, k),
                                plan_comparison(k, 64), 64, label);
}

}  // namespace sotto::protocols
