#include "protocols/preprocessing/transfers/two_party_circuits.h"

#include <utility>

#include "protocols/preprocessing/recorded/bit_planes.h"
#include "protocols/preprocessing/recorded/circuits.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/ring/fixed_point.h"

namespace sotto::protocols {

BitPieces TwoPartyCircuits::complement(BitPieces bits) const {
  if (self() == NodeId{0}) {
    for (std::uint64_t& word : bits.own) word = ~word;
  }
  return bits;
}

TwoPartyCircuits::Summands TwoPartyCircuits::summands(const WordPieces& number) const {
  const std::size_t lanes = 64 * plane_words(number.lanes) * number.bits;
  BitPieces known = zero_bits(lanes);
  const BitPieces other = known;
  if (self()) known.own = planes_of(number.own, number.bits);
  NumberPieces mine = separated(known, number.bits, number.lanes);
  NumberPieces theirs = separated(other, number.bits, number.lanes);
  if (self() == NodeId{1}) return {std::move(theirs), std::move(mine)};
  return {std::move(mine), std::move(theirs)};
}

Task<NumberPieces> TwoPartyCircuits::bits_of(Party& party, std::size_t, WordPieces number, BitPieces carry,
                                             Label label) {
  const unsigned bits = number.bits;
  const Summands s = summands(number);
  NumberPieces sum = co_await carries(party, *this, s.u, s.v, std::move(carry), bits - 1, label);
  for (unsigned b = 0; b < bits; ++b) sum[b] = std::move(sum[b]) ^ s.u[b] ^ s.v[b];
  co_return sum;
}

Task<TableShares> TwoPartyCircuits::digit_table(Party& party, std::size_t turn, NumberPieces digit, unsigned bits,
                                                Label label) {
  NumberPieces hot = co_await one_hot(party, *this, std::move(digit), label);
  RingWidths widths(hot.size(), bits);
  const PoolVector<Additive> entries = co_await bits_as_shares(party, turn, std::move(hot), std::move(widths), label);
  co_return by_lane(entries, bits);
}

Task<TruncationMasks> TwoPartyCircuits::truncation_masks(Party& party, std::size_t turn, std::size_t lanes, unsigned f,
                                                         Label label) {
  require_argument(f >= 1 && f <= 62, "a truncation by 1 to 62 bits");
  constexpr unsigned top = 63;
  WordPieces r = uniform(lanes, 64);
  Summands s = summands(r);
  const BitPieces tops = s.u[top] ^ s.v[top];
  BitPieces none = zero_bits(lanes);
  NumberPieces c = co_await carries(party, *this, std::move(s.u), std::move(s.v), std::move(none), top, label);

  // A number that is later multiplied by 2^(63-f) mod 2^64 needs only f + 1 bits.
  NumberPieces bits{std::move(c[f]), c[top], c[top] ^ tops};
  RingWidths widths{64, f + 1, f + 1};
  PoolVector<Additive> numbers = co_await bits_as_shares(party, turn, std::move(bits), std::move(widths), label);
  TruncationMasks masks{std::move(r), {lanes, 64, {}, {}}, {lanes, f, {}, {}}};
  masks.mu.own = std::move(numbers[0].words);
  masks.h.own = std::move(numbers[2].words);
  for (std::size_t i = 0; i < masks.mu.own.size(); ++i) {
    masks.mu.own[i] += ((masks.r.own[i] & ring_mask(top)) >> f) - ((numbers[1].words[i] + masks.h.own[i]) << (top - f));
    masks.h.own[i] &= ring_mask(f);
  }
  co_return masks;
}

Task<BitPieces> AndCounter::and_bits(Party&, BitPieces x, BitPieces, Label) {
  words_ += plane_words(x.lanes);
  co_return BitPieces{x.lanes, {}, {}};
}

Task<Words> AndCounter::open_bits(Party&, BitPieces, Label) { co_return Words{}; }

Task<PoolVector<Additive>> AndCounter::bits_as_shares(Party&, std::size_t, NumberPieces bits, RingWidths, Label) {
  co_return PoolVector<Additive>(bits.size());
}

Task<void> AndCounter::make_ready(Party&, const DryRun&) { co_return; }

Task<ProductShares> AndCounter::make_products(Party&) { co_return ProductShares{}; }

Task<void> AndCounter::confirm_same_requests(Party&) { co_return; }

}  // namespace sotto::protocols
