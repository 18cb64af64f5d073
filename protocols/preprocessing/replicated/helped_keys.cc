#include "protocols/preprocessing/replicated/helped_keys.h"

#include <stdexcept>
#include <utility>

#include "protocols/preprocessing/replicated/digit_table.h"
#include "protocols/preprocessing/replicated/replicated_bits.h"
#include "protocols/preprocessing/replicated/truncation_masks.h"
#include "sotto/protocol/boolean/bits.h"
#include "sotto/protocol/io/deliver.h"
#include "sotto/protocol/ring/fixed_point.h"

namespace sotto::protocols {
namespace {

constexpr NodeId helper = 2;

void add(Words& to, const Words& words, unsigned bits, Group group) {
  for (std::size_t i = 0; i < to.size(); ++i) {
    to[i] = group == Group::sum ? (to[i] + words[i]) & ring_mask(bits) : to[i] ^ words[i];
  }
}

void negate(Words& words, unsigned bits) {
  for (std::uint64_t& word : words) word = (0 - word) & ring_mask(bits);
}

void drop(WordPieces& value) { value.own = value.next = {}; }
void drop(InputPieces& value) { drop(value.mask); }
void drop(Additive& value) { value.words = {}; }
void drop(TableShares& value) { value.words = {}; }
void drop(TruncationPart&) {}
void drop(TruncationMasks& masks) {
  for (WordPieces* value : {&masks.r, &masks.mu, &masks.h}) drop(*value);
}

}  // namespace

// The helper leads, so that its shares are zeros.
Task<PoolVector<Additive>> HelpedKeys::bits_as_shares(Party& party, std::size_t, NumberPieces bits, RingWidths widths,
                                                      Label label) {
  return protocols::bits_as_shares(party, *this, helper, std::move(bits), std::move(widths), label);
}

Task<TableShares> HelpedKeys::digit_table(Party& party, std::size_t, NumberPieces digit, unsigned bits, Label label) {
  return protocols::digit_table(party, *this, helper, std::move(digit), bits, label);
}

// The second party gets no share of r. So party 1 leads, and the helper is the second party.
Task<TruncationMasks> HelpedKeys::truncation_masks(Party& party, std::size_t, std::size_t lanes, unsigned f,
                                                   Label label) {
  return protocols::truncation_masks(party, *this, previous_of(helper), lanes, f, 64, label);
}

void HelpedKeys::note_product(const BilinearMap& map, unsigned bits, const Holders&, const Holders&) {
  products_.push_back({map.out.lanes(), bits});
}

void HelpedKeys::note_cut(const BilinearMap& map, Operand, unsigned shift, const Holders&) {
  cuts_.push_back({map.pairs(), shift});
}

void HelpedKeys::note_triples(std::size_t lanes, unsigned bits, Group group) {
  triple_requests_.push_back({lanes, bits, group});
}

Task<ProductShares> HelpedKeys::make_products(Party& party) {
  ProductShares made = co_await PairKeys::make_products(party);
  if (!self()) {
    made.products.resize(products_.size());
    made.cuts.resize(cuts_.size());
  }
  if (made.products.size() != products_.size() || made.cuts.size() != cuts_.size()) {
    throw std::logic_error("products of other operands than of shapes");
  }
  triples_.clear();
  triples_at_ = 0;
  for (const Noted& request : triple_requests_) {
    TriplePieces pieces = triple_pieces(request.lanes, request.bits, request.group);
    for (WordPieces* value : {&pieces.a, &pieces.b}) share(*value, request.group);
    Triples& triples = triples_.emplace_back();
    triples.a.words = std::move(pieces.a.own);
    triples.b.words = std::move(pieces.b.own);
    triples.c.words = std::move(pieces.c);
  }
  PoolVector<Term> terms;
  for (std::size_t i = 0; i < products_.size(); ++i) terms.push_back({products_[i], &made.products[i].words});
  for (std::size_t i = 0; i < cuts_.size(); ++i) terms.push_back({cuts_[i], &made.cuts[i].words});
  for (std::size_t i = 0; i < triples_.size(); ++i) terms.push_back({triple_requests_[i], &triples_[i].c.words});
  products_ = cuts_ = triple_requests_ = {};
  co_await give_terms(party, std::move(terms));
  co_return std::move(made);
}

Task<void> HelpedKeys::give_terms(Party& party, PoolVector<Term> terms) {
  Words parcel;
  std::size_t words = 0;
  for (const auto& [shape, term] : terms) {
    words += packed_words(shape.lanes, shape.bits);
    Words hidden = cover(shape.lanes, shape.bits);
    if (self() == NodeId{0}) {
      for (std::uint64_t& word : *term) word &= ring_mask(shape.bits);
      add(*term, hidden, shape.bits, shape.group);
    } else if (self() == helper) {
      if (shape.group == Group::sum) negate(hidden, shape.bits);
      add(hidden, *term, shape.bits, shape.group);
      const Words packed = pack_bits(hidden, shape.bits);
      parcel.insert(parcel.end(), packed.begin(), packed.end());
      *term = {};
    }
  }
  if (words == 0) co_return;
  const Words received = co_await deliver(party, helper, 1, std::move(parcel), words, "terms of the helper");
  if (self() != NodeId{1}) co_return;
  std::size_t at = 0;
  for (const auto& [shape, term] : terms) {
    const std::size_t size = packed_words(shape.lanes, shape.bits);
    add(*term, unpack_bits(slice(received, at, size), shape.lanes, shape.bits), shape.bits, shape.group);
    at += size;
  }
}

Triples HelpedKeys::triples(std::size_t lanes, unsigned, Group) {
  if (triples_at_ >= triples_.size()) throw std::logic_error("more triples than were recorded");
  Triples made = std::move(triples_[triples_at_++]);
  if (computes() && made.a.words.size() != lanes) throw std::logic_error("other triples than were recorded");
  return made;
}

bool HelpedKeys::computes() const { return self() && *self() != helper; }

Words HelpedKeys::zero_of_shares(std::size_t lanes, unsigned bits, Group group) {
  Words words = of_pair(1, lanes, bits);
  if (self() == NodeId{1} && group == Group::sum) negate(words, bits);
  return words;
}

void HelpedKeys::share(WordPieces& value, Group group) const {
  if (!computes()) return drop(value);
  if (self() == NodeId{1} && !value.next.empty()) add(value.own, value.next, value.bits, group);
  value.next = {};
}

void HelpedKeys::to_shares(RecordedMaterial& material) const {
  if (!computes()) {
    const auto drop_all = [](auto& values) {
      for (auto& value : values) drop(value);
    };
    return RecordedMaterial::describe(material, drop_all);
  }
  for (WordPieces& value : material.masks) share(value, Group::sum);
  for (InputPieces& value : material.inputs) share(value.mask, Group::sum);
  for (WordPieces& value : material.bits) share(value, Group::exclusive_or);
  for (TruncationMasks& masks : material.truncation_groups) {
    share(masks.mu, Group::sum);
    share(masks.h, Group::sum);
  }
}

}  // namespace sotto::protocols
