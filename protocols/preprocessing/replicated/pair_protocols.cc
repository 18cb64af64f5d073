#include <utility>

#include "protocols/preprocessing/replicated/digit_table.h"
#include "protocols/preprocessing/replicated/pair_keys.h"
#include "protocols/preprocessing/replicated/replicated_bits.h"
#include "protocols/preprocessing/replicated/truncation_masks.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/ring/fixed_point.h"

namespace sotto::protocols {
namespace {

NodeId lead_of(std::size_t turn) { return static_cast<NodeId>(turn % replicated_parties); }

void add_zero(Words& own, const Words& zero, unsigned bits, Group group) {
  for (std::size_t i = 0; i < own.size(); ++i) {
    own[i] = group == Group::sum ? (own[i] + zero[i]) & ring_mask(bits) : own[i] ^ zero[i];
  }
}

}  // namespace

// A party knows its own two pieces of its input; the third piece is zero.
InputPieces PairKeys::input(NodeId owner, std::size_t lanes) {
  if (owner >= replicated_parties) return of_owner(owner, lanes);
  Words first = of_pair(owner, lanes, 64);
  Words second = of_pair(next_of(owner), lanes, 64);
  InputPieces input{{lanes, 64, {}, {}}, {}};
  WordPieces& mask = input.mask;
  if (self() == owner) {
    input.known = first;
    add_zero(input.known, second, 64, Group::sum);
    mask.own = std::move(first);
    mask.next = std::move(second);
  } else if (self() == next_of(owner)) {
    mask.own = std::move(second);
    mask.next.assign(lanes, 0);
  } else if (self()) {
    mask.own.assign(lanes, 0);
    mask.next = std::move(first);
  }
  return input;
}

BitPieces PairKeys::complement(BitPieces bits) const { return protocols::complement(*this, std::move(bits)); }

Task<BitPieces> PairKeys::and_bits(Party& party, BitPieces x, BitPieces y, Label label) {
  return protocols::and_bits(party, *this, std::move(x), std::move(y), label);
}

Task<Words> PairKeys::open_bits(Party& party, BitPieces bits, Label label) {
  return protocols::open_bits(party, std::move(bits), label);
}

Task<PoolVector<Additive>> PairKeys::bits_as_shares(Party& party, std::size_t turn, NumberPieces bits,
                                                    RingWidths widths, Label label) {
  return protocols::bits_as_shares(party, *this, lead_of(turn), std::move(bits), std::move(widths), label);
}

Task<NumberPieces> PairKeys::bits_of(Party& party, std::size_t turn, WordPieces number, BitPieces carry, Label label) {
  return protocols::bits_of(party, *this, lead_of(turn), std::move(number), std::move(carry), label);
}

Task<TableShares> PairKeys::digit_table(Party& party, std::size_t turn, NumberPieces digit, unsigned bits,
                                        Label label) {
  return protocols::digit_table(party, *this, lead_of(turn), std::move(digit), bits, label);
}

Task<TruncationMasks> PairKeys::truncation_masks(Party& party, std::size_t turn, std::size_t lanes, unsigned f,
                                                 Label label) {
  return protocols::truncation_masks(party, *this, lead_of(turn), lanes, f, 64, label);
}

Task<void> PairKeys::make_ready(Party&, const DryRun&) { co_return; }

void PairKeys::note_product_of(const BilinearMap& map, const WordPieces& x, const WordPieces& y) {
  noted_.products.push_back(local_product(map, x, y));
}

void PairKeys::note_cut_of(const BilinearMap& map, Operand, unsigned shift, const Words&, const WordPieces& x,
                           const WordPieces& y) {
  Additive pairs = local_pairs(map, x, y);
  for (std::uint64_t& word : pairs.words) word &= ring_mask(shift);
  noted_.cuts.push_back(std::move(pairs));
}

Task<ProductShares> PairKeys::make_products(Party&) { co_return std::exchange(noted_, {}); }

PairKeys::TriplePieces PairKeys::triple_pieces(std::size_t lanes, unsigned bits, Group group) {
  WordPieces a = uniform(lanes, bits);
  WordPieces b = uniform(lanes, bits);
  Words c(a.own.size());
  for (std::size_t i = 0; i < c.size(); ++i) {
    if (group == Group::sum) {
      c[i] = (a.own[i] * (b.own[i] + b.next[i]) + a.next[i] * b.own[i]) & ring_mask(bits);
    } else {
      c[i] = (a.own[i] & (b.own[i] ^ b.next[i])) ^ (a.next[i] & b.own[i]);
    }
  }
  return {std::move(a), std::move(b), std::move(c)};
}

// a and b mask opened values, so their shares are refreshed.
Triples PairKeys::triples(std::size_t lanes, unsigned bits, Group group) {
  TriplePieces pieces = triple_pieces(lanes, bits, group);
  add_zero(pieces.a.own, zero(lanes, bits, group), bits, group);
  add_zero(pieces.b.own, zero(lanes, bits, group), bits, group);
  Triples result;
  result.a.words = std::move(pieces.a.own);
  result.b.words = std::move(pieces.b.own);
  result.c.words = std::move(pieces.c);
  return result;
}

Task<void> PairKeys::confirm_same_requests(Party& party) { return protocols::confirm_same_requests(party, *this); }

}  // namespace sotto::protocols
