#include "sotto/protocols/compare/below_zero.h"

#include <stdexcept>
#include <type_traits>
#include <utility>

#include "sotto/core/ring/fixed_point.h"
#include "sotto/core/sharing/share_access.h"
#include "sotto/protocols/compare/digit_tables.h"
#include "sotto/protocols/io/mask.h"
#include "sotto/protocols/lookup/table_lookup.h"

namespace sotto::protocols {
namespace {

// Step 1: shares of the weighted sum of -[d_0 < m_0] and sign(d_i - m_i), in Z/2^digits.
Arith sum_of_signs(Party& party, const MaskedIndex& x, const ComparisonPlan& plan) {
  const Words& masks = ShareAccess::mask(x);
  Words sum(ShareAccess::words(x).size(), 0);
  unsigned low = 0;
  for (unsigned i = 0; i < plan.digits; ++i) {
    const Tables tables{x.lanes(), plan.widths[i], plan.ring_bits(i), ShareAccess::words(x), low};
    const auto write = [&](std::size_t first, std::size_t count, auto* out) {
      for (std::size_t lane = first; lane < first + count; ++lane, out += tables.size()) {
        const std::uint64_t m = (masks[lane] >> low) & (tables.size() - 1);
        if (i == 0) {
          write_borrows(out, tables.size(), m);
        } else {
          write_signs(out, tables.size(), m);
        }
      }
    };
    party.correlations().deal_tables(tables, sum, ComparisonPlan::raise(i), write);
    low += plan.widths[i];
  }
  const std::uint64_t ring = ring_mask(plan.sum_bits());
  for (std::uint64_t& word : sum) word &= ring;
  return Arith(x.shape(), 0, std::move(sum), plan.sum_bits());
}

// Step 3, the dealer's part: m_top xor (top bit of m_s) xor [d < low bits of m_s] for all low bits d of D_s.
Arith top_bit_or_borrow(Party& party, const MaskedIndex& x, unsigned top, const MaskedIndex& sum,
                        unsigned result_bits) {
  const Words& mask = ShareAccess::mask(x);
  const Words& sum_mask = ShareAccess::mask(sum);
  const unsigned half = sum.bits() - 1;
  const std::size_t size = std::size_t{1} << half;
  const auto write = [&](std::size_t first, std::size_t count, auto* out) {
    for (std::size_t lane = first; lane < first + count; ++lane) {
      const std::uint64_t tops = ((mask[lane] >> top) ^ (sum_mask[lane] >> half)) & 1;
      const std::uint64_t m = sum_mask[lane] & (size - 1);
      for (std::size_t d = 0; d < size; ++d) {
        *out++ = static_cast<std::remove_reference_t<decltype(*out)>>(tops ^ static_cast<std::uint64_t>(d < m));
      }
    }
  };
  return fill_tables(party, sum, half, result_bits, write);
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
