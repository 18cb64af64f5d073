#include "protocols/preprocessing/recorded/material_sides.h"

#include <stdexcept>
#include <utility>

#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/ring/fixed_point.h"

namespace sotto::protocols {

void ShapeSide::begin_stretch(StretchState stretch) {
  stretch_ = stretch;
  earlier_indices_ += requests_.tables.indices.size();
  earlier_choices_ += requests_.tables.choices.size();
  ties_.reset();
  borrows_ = 0;
}

Mask ShapeSide::mask(std::size_t lanes, unsigned bits) {
  if (stretch_ == StretchState::to_make) material_.masks.push_back(pieces_.uniform(lanes, bits));
  return {};
}

InputMask ShapeSide::input_mask(NodeId owner, std::size_t lanes) {
  if (stretch_ == StretchState::to_make) material_.inputs.push_back(pieces_.input(owner, lanes));
  return {};
}

void ShapeSide::product(const BilinearMap& map, const Mask&, const Mask&, unsigned bits, Words&) {
  if (stretch_ == StretchState::to_make && pieces_.pieces() == 2) pieces_.note_product(map, bits, {}, {});
}

Additive ShapeSide::cut(const BilinearMap& map, Operand side, unsigned shift, const CarryMask&, const Mask&) {
  if (stretch_ == StretchState::to_make && pieces_.pieces() == 2) pieces_.note_cut(map, side, shift, {});
  return {};
}

Additive ShapeSide::bit_product(const BilinearMap&, const BitMask&, const Mask&) {
  require_argument(selects_by_bits(), "three parties select by masked words, not by bits");
  return {};
}

Triples ShapeSide::triples(std::size_t lanes, unsigned bits, Group group) {
  if (stretch_ == StretchState::to_make) pieces_.note_triples(lanes, bits, group);
  return {};
}

TruncationPair ShapeSide::truncation(Words&, std::size_t lanes, unsigned f) {
  requests_.truncations.push_back({lanes, f});
  return {};
}

BitMask ShapeSide::random_bits(std::size_t lanes, unsigned width) {
  if (stretch_ == StretchState::to_make) material_.bits.push_back(pieces_.uniform(lanes, width));
  return {};
}

Additive ShapeSide::bits_as_numbers(const BitMask&, std::size_t, std::size_t count, unsigned, unsigned ring_bits) {
  requests_.numbers.push_back({count, ring_bits});
  return {};
}

// An index made of bits of a masked value is the sum of the bits of three pieces, so the index may be too large by at
// most this number.
constexpr unsigned most_exceeding = 3;

constexpr std::uint64_t first_index = 0x7a3d'91c5'08f2'0000u;

IndexMask ShapeSide::add_index_mask(Words&, std::size_t lanes, unsigned bits) {
  const std::uint64_t number = earlier_indices_ + requests_.tables.indices.size();
  requests_.tables.indices.push_back({lanes, bits});
  return IndexMask{Words(lanes, first_index + number)};
}

bool ShapeSide::leaves_empty(const Tables& tables) {
  if (tables.lanes == 0) ++requests_.tables.tables;
  return tables.lanes == 0;
}

std::size_t ShapeSide::index_of(const IndexMask& mask, const Tables& tables) const {
  const auto& indices = requests_.tables.indices;
  const std::uint64_t number = mask.words.empty() ? indices.size() : mask.words[0] - first_index - earlier_indices_;
  require_argument(number < indices.size() && indices[number].lanes == tables.lanes &&
                       mask.words == Words(tables.lanes, mask.words[0]),
                   "without a dealer tables are of an index as mask_index gives it, in the same stretch");
  return number;
}

std::size_t ShapeSide::choice_of(const Samples& samples) const {
  const std::size_t number = samples.ranks[0] - earlier_choices_;
  require_argument(number < requests_.tables.choices.size(),
                   "without a dealer choices are samples of the same stretch");
  return number;
}

void ShapeSide::digit_tables(const Tables& tables, bool lowest, const IndexMask& x, std::span<std::uint64_t>) {
  require_argument(x.words.empty(), "without a dealer compared values are masked for products, not as an index");
  TableRequests& requests = requests_.tables;
  if (leaves_empty(tables)) return;
  if (lowest) {
    requests.comparisons.push_back({});
    requests.comparisons.back().lanes = tables.lanes;
    requests.comparisons.back().choice = std::exchange(ties_, std::nullopt);
  }
  requests.comparisons.back().digits.push_back({tables.low, tables.index_bits, tables.bits, requests.tables++});
}

// Comparisons end in the order in which they began.
void ShapeSide::borrow_tables(const Tables& tables, const IndexMask&, unsigned top, const IndexMask& m,
                              std::span<std::uint64_t>) {
  if (leaves_empty(tables)) return;
  TableRequests::Comparison& comparison = recorded(requests_.tables.comparisons, borrows_);
  comparison.top = top;
  comparison.index = index_of(m, tables);
  comparison.index_bits = tables.index_bits;
  comparison.bits = tables.bits;
  comparison.table = requests_.tables.tables++;
}

void ShapeSide::winner_tables(const Tables& tables, const IndexMask& wins, const ValueGroups& groups,
                              const Samples& samples, std::span<std::uint64_t>) {
  require_argument(groups.an_event() == 1 && groups.candidates == groups.columns,
                   "without a dealer an event's arms are one group");
  if (leaves_empty(tables)) return;
  TableRequests& requests = requests_.tables;
  std::optional<std::size_t> choice;
  if (!samples.ranks.empty()) choice = choice_of(samples);
  const bool takes_arm = choice && !samples.arms.empty();
  if (takes_arm) requests.choices[*choice].draws_arms = true;
  requests.winners.push_back(
      {index_of(wins, tables), groups.columns, choice, takes_arm, tables.index_bits, tables.bits, requests.tables++});
}

// If the index mask has no words, the index is made of bits of a masked value.
void ShapeSide::table(const Tables& tables, const IndexMask& m, const TableFunction&, std::span<std::uint64_t>) {
  if (leaves_empty(tables)) return;
  std::optional<std::size_t> index;
  if (m.words.empty()) {
    require_argument(tables.exceeds >= most_exceeding,
                     "without a dealer bits of a masked value are an index that is up to three too large");
  } else {
    index = index_of(m, tables);
  }
  requests_.tables.look_ups.push_back({index, tables.lanes, tables.index_bits, tables.bits, requests_.tables.tables++});
}

Samples ShapeSide::samples(std::size_t events, std::size_t arms, Exploration exploration) {
  const std::size_t number = earlier_choices_ + requests_.tables.choices.size();
  requests_.tables.choices.push_back({events, arms, exploration});
  Samples samples;
  samples.ranks.push_back(number);
  samples.arms.push_back(number);
  return samples;
}

Additive ShapeSide::explored_places(std::size_t events, std::size_t arms, const Samples& samples) {
  require_argument(!samples.ranks.empty(), "without a dealer explored places are of samples with ranks");
  const std::size_t choice = choice_of(samples);
  const TableRequests::Choice& drawn = requests_.tables.choices[choice];
  require_argument(drawn.events == events && drawn.arms == arms, "explored places of other events than the samples");
  requests_.tables.places.push_back(choice);
  return {};
}

IndexMask ShapeSide::pair_masks(const IndexMask&, unsigned, const ValueGroups&, const Samples& samples) {
  ties_.reset();
  if (!samples.ranks.empty()) ties_ = choice_of(samples);
  return {};
}

void PieceSide::begin_stretch(StretchState stretch) {
  stretch_ = stretch;
  at_ = {};
  compared_.clear();
}

void PieceSide::digit_tables(const Tables& tables, bool lowest, const IndexMask& x, std::span<std::uint64_t>) {
  if (!lowest || tables.lanes == 0) return;
  compared_.push_back(x.words);
  WordPieces pieces = all_pieces(x.words);
  if (last()) requests_.masks.compared.push_back(std::move(pieces));
}

void PieceSide::borrow_tables(const Tables& tables, const IndexMask& x, unsigned, const IndexMask&,
                              std::span<std::uint64_t>) {
  if (tables.lanes == 0) return;
  if (recorded(compared_, at_.borrows) != x.words) {
    throw std::logic_error("comparisons end in another order than they began");
  }
}

void PieceSide::table(const Tables&, const IndexMask& m, const TableFunction&, std::span<std::uint64_t>) {
  if (m.words.empty()) return;
  WordPieces pieces = all_pieces(m.words);
  if (last()) requests_.masks.looked_up.push_back(std::move(pieces));
}

IndexMask PieceSide::pair_masks(const IndexMask& m, unsigned bits, const ValueGroups& groups, const Samples&) {
  IndexMask result{Words(groups.pairs())};
  groups.for_each_pair([&](std::size_t pair, std::size_t i, std::size_t j) {
    result.words[pair] = (m.words[i] - m.words[j]) & ring_mask(bits);
  });
  return result;
}

WordPieces PieceSide::all_pieces(Words words) {
  WordPieces value{words.size(), 64, {}, {}};
  if (next_) {
    value.own = std::move(recorded(operands_, at_.operands));
    value.next = std::move(words);
  } else if (last()) {
    value.own = std::move(words);
  } else {
    operands_.push_back(std::move(words));
  }
  return value;
}

namespace {

std::uint64_t factor_below(std::uint64_t word, unsigned bits) {
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(word << (64 - bits)) >> (64 - bits));
}

}  // namespace

Mask PieceSide::mask(std::size_t, unsigned) { return Mask{piece(recorded(material_.masks, at_.masks))}; }

InputMask PieceSide::input_mask(NodeId, std::size_t) {
  return InputMask{{}, Mask{piece(recorded(material_.inputs, at_.inputs).mask)}};
}

void PieceSide::product(const BilinearMap& map, const Mask& x, const Mask& y, unsigned, Words&) {
  if (stretch_ == StretchState::made) return;
  const WordPieces left = all_pieces(x.words);
  const WordPieces right = all_pieces(y.words);
  if (last()) pieces_.note_product_of(map, left, right);
}

Additive PieceSide::cut(const BilinearMap& map, Operand side, unsigned shift, const CarryMask& g, const Mask& other) {
  if (stretch_ == StretchState::made) return {};
  Words h = g.words;
  Words factors;
  if (pieces_.pieces() == 1) {
    factors.reserve(h.size());
    for (std::uint64_t& word : h) {
      factors.push_back(factor_below(word, 64 - shift));
      word -= factors.back();
    }
  }
  for (std::uint64_t& word : h) word >>= 64 - shift;
  const WordPieces top = all_pieces(std::move(h));
  const WordPieces rest = all_pieces(other.words);
  if (!last()) return {};
  const bool left = side == Operand::left;
  pieces_.note_cut_of(map, side, shift, factors, left ? top : rest, left ? rest : top);
  return {};
}

Additive PieceSide::bit_product(const BilinearMap& map, const BitMask& b, const Mask& y) {
  if (stretch_ == StretchState::made) return {};
  const WordPieces bits = all_pieces(b.words);
  const WordPieces rest = all_pieces(y.words);
  pieces_.note_cut_of(map, Operand::left, 64, Words(b.words.size(), 1), bits, rest);
  return {};
}

TruncationPair PieceSide::truncation(Words&, std::size_t, unsigned f) {
  const TruncationPart& part = recorded(material_.truncations, at_.truncations);
  const TruncationMasks& masks = material_.truncation_groups[part.group];
  TruncationPair pair;
  pair.mu.words = slice(next_ ? masks.mu.next : masks.mu.own, part.first, part.lanes);
  pair.g.words = slice(next_ ? masks.h.next : masks.h.own, part.first, part.lanes);
  // If a party has one piece, the word of g has the bit h as bit 64 - f, and the number 1 in the bits below h. The
  // program multiplies g by public factors. So when the program calls cut(), the product of these factors is in the
  // bits below h.
  const std::uint64_t below = pieces_.pieces() == 1 ? 1 : 0;
  for (std::uint64_t& word : pair.g.words) word = (word << (64 - f)) + below;
  return pair;
}

BitMask PieceSide::random_bits(std::size_t, unsigned) { return BitMask{piece(recorded(material_.bits, at_.bits))}; }

Additive PieceSide::bits_as_numbers(const BitMask& bits, std::size_t first, std::size_t count, unsigned bit, unsigned) {
  Words plane(plane_words(count), 0);
  for (std::size_t i = 0; i < count; ++i) plane[i / 64] |= (bits.words[first + i] >> bit & 1) << (i % 64);
  WordPieces pieces = all_pieces(std::move(plane));
  if (last()) requests_.planes.push_back({count, std::move(pieces.own), std::move(pieces.next)});
  return {};
}

}  // namespace sotto::protocols
