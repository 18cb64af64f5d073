#include "sotto/protocol/boolean/adder.h"

#include <bit>
#include <stdexcept>

#include "sotto/protocol/async/when_all.h"
#include "sotto/protocol/boolean/bits.h"

namespace sotto::protocols {
namespace {

// 2 maj(x, y, z) mod 2^w. The top bit of the majority is not computed, because the doubling drops this bit.
Task<Bool> doubled_majority(Party& party, Bool x, Bool y, Bool z, Label label) {
  const unsigned kept = x.width() - 1;
  const Bool low_z = z.low(kept);
  Bool left = x.low(kept) ^ low_z;
  Bool right = y.low(kept) ^ low_z;
  const Bool product = co_await bit_and(party, std::move(left), std::move(right), label);
  co_return (product ^ low_z).raised(1);
}

Task<std::vector<Bool>> three_to_two(Party& party, std::vector<Bool> summands, Label label) {
  const std::size_t threes = summands.size() / 3;
  std::vector<Task<Bool>> majorities;
  for (std::size_t i = 0; i < threes; ++i) {
    majorities.push_back(doubled_majority(party, summands[3 * i], summands[3 * i + 1], summands[3 * i + 2], label));
  }
  std::vector<Bool> next = co_await when_all(std::move(majorities));
  for (std::size_t i = 0; i < threes; ++i) {
    next.push_back(summands[3 * i] ^ summands[3 * i + 1] ^ summands[3 * i + 2]);
  }
  for (std::size_t i = 3 * threes; i < summands.size(); ++i) next.push_back(summands[i]);
  co_return next;
}

Bool sum_of_bits(const std::vector<Bool>& summands) {
  Bool sum = summands.front();
  for (std::size_t i = 1; i < summands.size(); ++i) sum ^= summands[i];
  return sum;
}

struct Carry {
  Bool generate, propagate;
};

// Makes an odd width even, with a zero bit below the lowest bit, which changes no carry.
Bool even_width(const Bool& value) { return value.width() % 2 == 0 ? value : value.raised(1); }

Task<Bool> carry_tree(Party& party, Bool g, Bool p, Label label) {
  while (g.width() > 1) {
    const Bool gs = even_width(g);
    const Bool ps = even_width(p);
    if (gs.width() == 2) {  // the last p is not used
      const Bool last = co_await bit_and(party, ps.odd_bits(), gs.even_bits(), label);
      co_return gs.odd_bits() ^ last;
    }
    auto [from_below, both] = co_await when_all(bit_and(party, ps.odd_bits(), gs.even_bits(), label),
                                                bit_and(party, ps.odd_bits(), ps.even_bits(), label));
    g = gs.odd_bits() ^ from_below;
    p = std::move(both);
  }
  co_return g;
}

}  // namespace

Task<std::pair<Bool, Bool>> carry_save(Party& party, std::vector<Bool> summands, Label label) {
  if (summands.empty()) throw std::invalid_argument("a sum of nothing");
  if (summands.front().width() == 1) {
    Bool sum = sum_of_bits(summands);
    Bool nothing = sum ^ sum;
    std::pair<Bool, Bool> result(std::move(sum), std::move(nothing));
    co_return result;
  }
  while (summands.size() > 2) summands = co_await three_to_two(party, std::move(summands), label);
  if (summands.size() == 1) summands.push_back(summands.front() ^ summands.front());
  std::pair<Bool, Bool> result(std::move(summands[0]), std::move(summands[1]));
  co_return result;
}

Task<Bool> add(Party& party, Bool x, Bool y, Label label) {
  const unsigned width = x.width();
  const Bool without_carries = x ^ y;
  if (width == 1) co_return without_carries;

  // Bit i of g is 1 if a carry leaves bit i. Bit i of p is 1 if bit i forwards a carry.
  const unsigned carries = width - 1;
  Bool g = co_await bit_and(party, x.low(carries), y.low(carries), label);
  Bool p = without_carries.low(carries);

  // After every step, g and p of a bit cover twice as many lower bits.
  for (unsigned reach = 1; reach < carries; reach *= 2) {
    const unsigned rest = carries - reach;
    if (2 * reach >= carries) {
      const Bool last = co_await bit_and(party, p.high(reach), g.low(rest), label);
      g ^= last.raised(reach);
      break;
    }
    auto [from_below, both] = co_await when_all(bit_and(party, p.high(reach), g.low(rest), label),
                                                bit_and(party, p.high(reach), p.low(rest), label));
    g ^= from_below.raised(reach);
    p = both.raised(reach);
  }
  co_return without_carries ^ g.raised(1);
}

Task<Bool> top_bit_of_sum(Party& party, Bool x, Bool y, Label label) {
  const unsigned width = x.width();
  const Bool without_carries = x ^ y;
  Bool top = without_carries.high(width - 1);
  if (width == 1) co_return top;

  const unsigned carries = width - 1;
  Bool g = co_await bit_and(party, x.low(carries), y.low(carries), label);
  Bool p = without_carries.low(carries);
  const Bool carry = co_await carry_tree(party, std::move(g), std::move(p), label);
  co_return top ^ carry;
}

unsigned carry_save_levels(std::size_t summands) {
  unsigned levels = 0;
  for (; summands > 2; summands -= summands / 3) ++levels;
  return levels;
}

unsigned adder_rounds(unsigned width) { return width == 1 ? 0 : 1 + static_cast<unsigned>(std::bit_width(width - 2)); }

unsigned top_bit_rounds(unsigned width) { return adder_rounds(width); }

}  // namespace sotto::protocols
