#include "protocols/preprocessing/recorded/recorded_side.h"

#include <stdexcept>
#include <string>

#include "protocols/preprocessing/recorded/material_sides.h"
#include "sotto/protocol/ring/fixed_point.h"

namespace sotto::protocols {
namespace {

void require_recorded(bool same) {
  if (!same) throw std::logic_error("the program asks for other sizes than it did when it was recorded");
}

void add(Words& to, const Words& other, std::uint64_t ring) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = (to[i] + other[i]) & ring;
}

}  // namespace

template <class T>
T RecordedSide::taken(PoolVector<T>& values, std::size_t& at) {
  return std::move(recorded(values, at));
}

bool RecordedSide::all_given_out() const {
  const bool everywhere = at_.masks == material_.masks.size() && at_.inputs == material_.inputs.size() &&
                          at_.truncations == material_.truncations.size() && at_.tables == material_.tables.size();
  if (!everywhere || !pieces_.computes()) return everywhere;
  return at_.products == material_.products.size() && at_.cuts == material_.cuts.size();
}

Task<void> RecordedSide::next_stretch(Party& party) {
  if (tape_ == nullptr) throw std::logic_error("there is material for one stretch alone");
  if (!all_given_out()) throw std::logic_error("the program asks for less than it did when it was recorded");
  const Ledger& ledger = party.rounds().ledger();
  const std::string phase = ledger.phases().empty() ? "program" : ledger.phases()[ledger.current_phase()].name;
  party.enter_phase("preprocessing");
  material_ = {};
  RecordedMaterial next = co_await tape_->next_stretch(party);
  material_ = std::move(next);
  at_ = {};
  if (phase != "preprocessing") party.enter_phase(phase);
}

Words RecordedSide::refreshed(Words own, std::size_t lanes, unsigned bits, Group group) {
  require_recorded(!pieces_.computes() || own.size() == lanes);
  const Words zero = pieces_.zero_of_shares(lanes, bits, group);
  if (group == Group::sum) {
    add(own, zero, ring_mask(bits));
  } else {
    for (std::size_t i = 0; i < own.size(); ++i) own[i] ^= zero[i];
  }
  return own;
}

Mask RecordedSide::mask(std::size_t lanes, unsigned bits) {
  WordPieces mask = taken(material_.masks, at_.masks);
  require_recorded(mask.lanes == lanes && mask.bits == bits);
  return Mask{refreshed(std::move(mask.own), lanes, bits, Group::sum)};
}

Mask RecordedSide::mask_of_zeros(std::size_t lanes) const {
  return Mask{pieces_.computes() ? Words(lanes, 0) : Words{}};
}

// The mask needs no sharing of zero: the owner sends D, so no party opens shares of the mask.
InputMask RecordedSide::input_mask(NodeId, std::size_t lanes) {
  InputPieces input = taken(material_.inputs, at_.inputs);
  require_recorded(input.mask.lanes == lanes);
  return InputMask{std::move(input.known), Mask{std::move(input.mask.own)}};
}

Additive RecordedSide::zero(std::size_t lanes, unsigned bits, Group group) {
  return Additive{pieces_.zero_of_shares(lanes, bits, group)};
}

void RecordedSide::product(const BilinearMap& map, const Mask&, const Mask&, unsigned, Words& sum) {
  if (!pieces_.computes()) return;
  const Additive product = pieces_.finished_product(map, taken(material_.products, at_.products));
  require_recorded(product.words.size() == map.out.lanes());
  add(sum, product.words, ~std::uint64_t{0});
}

Additive RecordedSide::cut(const BilinearMap& map, Operand, unsigned, const CarryMask&, const Mask&) {
  if (!pieces_.computes()) return {};
  Additive pairs = taken(material_.cuts, at_.cuts);
  require_recorded(pairs.words.size() == map.pairs());
  return pairs;
}

// The product of a bit and a word is made in the same way as a cut.
Additive RecordedSide::bit_product(const BilinearMap& map, const BitMask&, const Mask& y) {
  return cut(map, Operand::left, 64, {}, y);
}

TruncationPair RecordedSide::truncation(Words& padded, std::size_t lanes, unsigned f) {
  const TruncationPart part = taken(material_.truncations, at_.truncations);
  const TruncationMasks& masks = material_.truncation_groups[part.group];
  require_recorded(part.lanes == lanes && masks.h.bits == f);
  const Words zero = pieces_.zero_of_shares(lanes, 64, Group::sum);
  TruncationPair pair;
  if (!pieces_.computes()) return pair;
  add(padded, zero, ~std::uint64_t{0});
  if (!masks.r.own.empty()) {
    for (std::size_t i = 0; i < lanes; ++i) padded[i] += masks.r.own[part.first + i];
  }
  pair.mu.words = slice(masks.mu.own, part.first, lanes);
  pair.h.words = slice(masks.h.own, part.first, lanes);
  return pair;
}

Triples RecordedSide::triples(std::size_t lanes, unsigned bits, Group group) {
  return pieces_.triples(lanes, bits, group);
}

BitMask RecordedSide::random_bits(std::size_t lanes, unsigned width) {
  WordPieces bits = taken(material_.bits, at_.bits);
  require_recorded(bits.lanes == lanes && bits.bits == width);
  return BitMask{refreshed(std::move(bits.own), lanes, width, Group::exclusive_or)};
}

Additive RecordedSide::bits_as_numbers(const BitMask&, std::size_t, std::size_t count, unsigned, unsigned) {
  Additive numbers = taken(material_.numbers, at_.numbers);
  require_recorded(!pieces_.computes() || numbers.words.size() == count);
  return numbers;
}

IndexMask RecordedSide::add_index_mask(Words& to, std::size_t lanes, unsigned bits) {
  const Words mask = refreshed(taken(material_.indices, at_.indices).words, lanes, bits, Group::sum);
  add(to, mask, ring_mask(bits));
  return {};
}

Additive RecordedSide::explored_places(std::size_t events, std::size_t arms, const Samples&) {
  Additive places = taken(material_.places, at_.places);
  require_recorded(!pieces_.computes() || places.words.size() == events * (arms * (arms + 1) / 2));
  return places;
}

template <class Weighted>
void RecordedSide::add_entries(const Tables& tables, std::span<std::uint64_t> sum, Weighted&& weighted) {
  const TableShares shares = taken(material_.tables, at_.tables);
  if (shares.words.empty()) return;
  require_recorded(shares.bits == tables.bits && shares.words.size() == entry_words(tables.entries(), tables.bits));
  const std::uint64_t ring = ring_mask(tables.bits);
  with_entries(shares, [&]<class Entry>(const Entry* of_lane) {
    for (std::size_t lane = 0; lane < tables.lanes; ++lane, of_lane += tables.size()) {
      const std::uint64_t d = (tables.positions[lane] >> tables.low) & (tables.size() - 1);
      sum[lane] += (weighted(lane, d, std::span<const Entry>(of_lane, tables.size())) & ring) << tables.raise;
    }
  });
}

void RecordedSide::take_entries(const Tables& tables, std::span<std::uint64_t> sum) {
  add_entries(tables, sum, [](std::size_t, std::uint64_t d, const auto& entries) { return std::uint64_t{entries[d]}; });
}

// The party's share of an entry. For the lowest digit the entry is minus the sum over all m of hot[m] [d < m],
// otherwise the sum over all m of hot[m] sign(d - m). Here `hot` is the shared one-hot of the mask.
void RecordedSide::digit_tables(const Tables& tables, bool lowest, const IndexMask&, std::span<std::uint64_t> sum) {
  add_entries(tables, sum, [lowest](std::size_t, std::uint64_t d, const auto& hot) {
    std::uint64_t result = 0;
    for (std::size_t m = d + 1; m < hot.size(); ++m) result -= hot[m];
    for (std::size_t m = 0; m < d && !lowest; ++m) result += hot[m];
    return result;
  });
}

void RecordedSide::borrow_tables(const Tables& tables, const IndexMask&, unsigned, const IndexMask&,
                                 std::span<std::uint64_t> sum) {
  take_entries(tables, sum);
}

void RecordedSide::winner_tables(const Tables& tables, const IndexMask&, const ValueGroups&, const Samples&,
                                 std::span<std::uint64_t> sum) {
  take_entries(tables, sum);
}

// The party's share of an entry, which is the sum over all m of hot[m] f(d - m). Here `hot` is the shared one-hot of
// the mask.
void RecordedSide::table(const Tables& tables, const IndexMask&, const TableFunction& f, std::span<std::uint64_t> sum) {
  add_entries(tables, sum, [&](std::size_t lane, std::uint64_t d, const auto& hot) {
    std::uint64_t result = 0;
    for (std::size_t m = 0; m < hot.size(); ++m) result += hot[m] * f(lane, (d - m) & (hot.size() - 1));
    return result;
  });
}

}  // namespace sotto::protocols
