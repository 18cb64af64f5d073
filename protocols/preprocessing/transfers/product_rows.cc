#include "protocols/preprocessing/transfers/product_rows.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "protocols/preprocessing/transfers/transfer_products.h"
#include "sotto/protocol/async/when_all.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/ring/fixed_point.h"

namespace sotto::protocols {
namespace {

constexpr std::size_t most_width = 64;
constexpr std::uint8_t both_hold = 3;

using Entries = PoolVector<std::uint32_t>;

Words counted_up(std::size_t count) {
  Words words(count);
  std::iota(words.begin(), words.end(), std::uint64_t{0});
  return words;
}

Entries entries(const BilinearMap& map, Operand side) {
  Words pairs(map.pairs());
  const bool left = side == Operand::left;
  const Words x = left ? counted_up(map.left.lanes()) : Words(map.left.lanes(), 1);
  const Words y = left ? Words(map.right.lanes(), 1) : counted_up(map.right.lanes());
  map.pair_products(pairs.data(), x.data(), y.data());
  Entries result;
  result.reserve(pairs.size());
  for (const std::uint64_t entry : pairs) result.push_back(static_cast<std::uint32_t>(entry));
  return result;
}

void append_by_entry(Entries& to, const Entries& pairs, const Entries& entry_of, std::size_t entries) {
  const std::size_t first = to.size();
  PoolVector<std::size_t> place(entries + 1, 0);
  for (const std::uint32_t p : pairs) ++place[entry_of[p] + 1];
  std::partial_sum(place.begin(), place.end(), place.begin());
  to.resize(first + pairs.size());
  for (const std::uint32_t p : pairs) to[first + place[entry_of[p]]++] = p;
}

std::size_t distinct(const Entries& entry_of, std::size_t entries) {
  PoolVector<std::uint8_t> seen(entries, 0);
  for (const std::uint32_t entry : entry_of) seen[entry] = 1;
  return static_cast<std::size_t>(std::count(seen.begin(), seen.end(), std::uint8_t{1}));
}

// Returns the bit h from the share h * factor mod 2^shift. If the factor is 2^a times an odd number, h is bit a of the
// share.
std::uint64_t top_bit(std::uint64_t share, std::uint64_t factor) {
  const int zeros = std::countr_zero(factor);
  return zeros >= 64 ? 0 : share >> zeros & 1;
}

Words top_bits(const Words& shares, const Words& factors) {
  Words bits(shares.size());
  for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = top_bit(shares[i], factors[i]);
  return bits;
}

void require_held(const Words& pieces, const Holders& holders, NodeId party) {
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (pieces[i] != 0 && (holders[i] >> party & 1) == 0) {
      throw std::logic_error("a piece of a product that was taken for zero on shapes");
    }
  }
}

}  // namespace

template <class Row>
void ProductRows::for_each_row(const Noted& noted, const Way& way, Row&& row) {
  for (const bool by_left : {false, true}) {
    const Entries& chooser = by_left ? noted.left : noted.right;
    const std::size_t last = by_left ? way.pairs.size() : way.by_right;
    for (std::size_t first = by_left ? way.by_right : 0; first < last;) {
      const std::uint32_t entry = chooser[way.pairs[first]];
      std::size_t end = first + 1;
      while (end < last && end - first < most_width && chooser[way.pairs[end]] == entry) ++end;
      row(first, end - first, by_left);
      first = end;
    }
  }
}

ProductRows::Kind ProductRows::kind_of(const Noted& noted, std::size_t width) {
  return {width, noted.bits, noted.top ? 1 : noted.bits};
}

ProductRows::Way ProductRows::way_of(const Noted& noted, NodeId sender, std::size_t first_by_left) {
  const auto has = [](std::uint8_t holders, NodeId party) { return (holders >> party & 1) != 0; };
  const auto receiver = static_cast<NodeId>(1 - sender);
  Entries by_right, by_left;
  for (std::size_t p = 0; p < noted.left.size(); ++p) {
    const bool left_chooses = p >= first_by_left;
    const std::uint8_t left = noted.left_holders[noted.left[p]];
    const std::uint8_t right = noted.right_holders[noted.right[p]];
    if (!has(left_chooses ? right : left, sender) || !has(left_chooses ? left : right, receiver)) continue;
    (left_chooses ? by_left : by_right).push_back(static_cast<std::uint32_t>(p));
  }
  Way way;
  append_by_entry(way.pairs, by_right, noted.right, noted.right_holders.size());
  way.by_right = way.pairs.size();
  append_by_entry(way.pairs, by_left, noted.left, noted.left_holders.size());
  return way;
}

void ProductRows::note(const BilinearMap& map, std::optional<Operand> top, unsigned bits, const Holders& x,
                       const Holders& y) {
  require_argument(map.pairs() <= UINT32_MAX, "a product of fewer than 2^32 pairs");
  Noted noted{top, bits, entries(map, Operand::left), entries(map, Operand::right), {}, x, y, {}, {}};
  const bool left_chooses =
      top ? *top == Operand::left : distinct(noted.left, x.size()) < distinct(noted.right, y.size());
  const auto set_ways = [&](std::size_t first_by_left) {
    for (const NodeId sender : {NodeId{0}, NodeId{1}}) noted.ways.at(sender) = way_of(noted, sender, first_by_left);
  };
  set_ways(left_chooses ? 0 : map.pairs());
  if (!top && noted.ways[0].pairs.empty() != noted.ways[1].pairs.empty()) set_ways(map.pairs() / 2);
  for (const NodeId sender : {NodeId{0}, NodeId{1}}) {
    for_each_row(noted, noted.ways.at(sender),
                 [&](std::size_t, std::size_t width, bool) { ++rows_.at(sender)[kind_of(noted, width)].count; });
  }
  noted_.push_back(std::move(noted));
}

void ProductRows::note_product(const BilinearMap& map, unsigned bits, const Holders& x, const Holders& y) {
  note(map, std::nullopt, bits, x, y);
}

void ProductRows::note_cut(const BilinearMap& map, Operand top, unsigned shift, const Holders& other) {
  const bool left = top == Operand::left;
  const Holders of_bits((left ? map.left : map.right).lanes(), both_hold);
  note(map, top, shift, left ? of_bits : other, left ? other : of_bits);
}

void ProductRows::note_lanes(std::size_t lanes, unsigned bits) {
  const Kind kind{1, bits, bits};
  for (auto& rows : rows_) rows[kind].count += lanes;
  lanes_.push_back({lanes, kind, {}});
}

void ProductRows::add_factors(const Noted& noted, NodeId sender, bool sends, const Words& left, const Words& right) {
  for_each_row(noted, noted.ways.at(sender), [&](std::size_t first, std::size_t width, bool by_left) {
    Words& factors = rows_.at(sender)[kind_of(noted, width)].factors;
    const PoolVector<std::uint32_t>& pairs = noted.ways.at(sender).pairs;
    const std::uint64_t chooser = by_left ? left[noted.left[pairs[first]]] : right[noted.right[pairs[first]]];
    if (!sends) return factors.push_back(chooser);
    const std::uint64_t turned = noted.top ? 1 - 2 * chooser : 1;
    for (std::size_t k = first; k < first + width; ++k) {
      factors.push_back(turned * (by_left ? right[noted.right[pairs[k]]] : left[noted.left[pairs[k]]]));
    }
  });
}

void ProductRows::map_operands(NodeId self, const BilinearMap& map, const WordPieces& x, const WordPieces& y,
                               const Words& factors) {
  if (operands_ >= noted_.size()) throw std::logic_error("more products than were noted on shapes");
  Noted& noted = noted_[operands_++];
  const bool left_bits = noted.top == Operand::left;
  const bool right_bits = noted.top == Operand::right;
  const Words left = left_bits ? top_bits(x.own, factors) : x.own;
  const Words right = right_bits ? top_bits(y.own, factors) : y.own;
  require_held(left, noted.left_holders, self);
  require_held(right, noted.right_holders, self);
  noted.factors = factors;
  noted.shares.resize(map.pairs());
  map.pair_products(noted.shares.data(), left.data(), right.data());
  for (const NodeId sender : {NodeId{0}, NodeId{1}}) add_factors(noted, sender, sender == self, left, right);
}

void ProductRows::lane_operands(NodeId self, const Words& x, const Words& y) {
  Lanes& lanes = lanes_.at(lane_operands_++);
  for (const NodeId sender : {NodeId{0}, NodeId{1}}) {
    Words& factors = rows_.at(sender)[lanes.kind].factors;
    const Words& mine = sender == self ? x : y;
    factors.insert(factors.end(), mine.begin(), mine.end());
  }
  lanes.shares = x;
  for (std::size_t i = 0; i < x.size(); ++i) lanes.shares[i] *= y[i];
}

void ProductRows::add_shares(Noted& noted) {
  for (const NodeId sender : {NodeId{0}, NodeId{1}}) {
    const Way& way = noted.ways.at(sender);
    for_each_row(noted, way, [&](std::size_t first, std::size_t width, bool) {
      Rows& rows = rows_.at(sender)[kind_of(noted, width)];
      for (std::size_t k = first; k < first + width; ++k) noted.shares[way.pairs[k]] += rows.shares[rows.taken++];
    });
  }
  if (!noted.top) return;
  const Entries& bit_of = *noted.top == Operand::left ? noted.left : noted.right;
  for (std::size_t p = 0; p < noted.shares.size(); ++p) {
    noted.shares[p] = noted.shares[p] * noted.factors[bit_of[p]] & ring_mask(noted.bits);
  }
}

PoolVector<PoolVector<ProductRows::Portion>> ProductRows::portions_of(const std::map<Kind, Rows>& kinds) {
  PoolVector<PoolVector<Portion>> messages;
  std::size_t used = reply_bytes_at_once;
  for (const auto& [kind, rows] : kinds) {
    const RingProducts eight{8, kind.width, kind.bits, kind.choice_bits};
    const std::size_t of_eight = product_reply_bytes(eight);
    for (std::size_t first = 0; first < rows.count;) {
      if (used + of_eight > reply_bytes_at_once) {
        messages.emplace_back();
        used = 0;
      }
      const std::size_t most = std::max<std::size_t>(1, (reply_bytes_at_once - used) / of_eight) * 8;
      const std::size_t count = std::min(most, rows.count - first);
      messages.back().push_back({kind, first, count});
      used += (count + 7) / 8 * of_eight;
      first += count;
    }
  }
  return messages;
}

Task<Unit> ProductRows::exchange(Party& party, TransferPair& transfers, NodeId sender, PoolVector<Portion> portions) {
  std::map<Kind, Rows>& all = rows_.at(sender);
  PoolVector<RingProducts> shapes;
  PoolVector<Words> factors;
  for (const auto& [kind, first, count] : portions) {
    const std::size_t each = party.is(sender) ? kind.width : 1;
    shapes.push_back({count, kind.width, kind.bits, kind.choice_bits});
    factors.push_back(slice(all[kind].factors, first * each, count * each));
  }
  const PoolVector<Words> shares =
      co_await one_way_products(party, transfers, sender, std::move(shapes), std::move(factors), "products");
  for (std::size_t i = 0; i < portions.size(); ++i) {
    Words& to = all[portions[i].kind].shares;
    to.insert(to.end(), shares[i].begin(), shares[i].end());
  }
  co_return Unit{};
}

Task<ProductRows::Made> ProductRows::make(Party& party, TransferPair& transfers) {
  const std::array messages{portions_of(rows_[0]), portions_of(rows_[1])};
  for (std::size_t i = 0; i < std::max(messages[0].size(), messages[1].size()); ++i) {
    PoolVector<Task<Unit>> both_ways;
    for (const NodeId sender : {NodeId{0}, NodeId{1}}) {
      if (i >= messages.at(sender).size()) continue;
      both_ways.push_back(exchange(party, transfers, sender, messages.at(sender)[i]));
    }
    co_await when_all(std::move(both_ways));
  }
  for (auto& rows_of_sender : rows_) {
    for (auto& [kind, rows] : rows_of_sender) rows.factors.clear();
  }

  Made made;
  const bool holds = transfers.sender.has_value();
  for (Noted& noted : noted_) {
    if (holds) add_shares(noted);
    (noted.top ? made.of_maps.cuts : made.of_maps.products).push_back(Additive{std::move(noted.shares)});
  }
  for (Lanes& lanes : lanes_) {
    for (auto& rows_of_sender : rows_) {
      Rows& rows = rows_of_sender[lanes.kind];
      for (std::uint64_t& share : lanes.shares) {
        share = (share + rows.shares[rows.taken++]) & ring_mask(lanes.kind.bits);
      }
    }
    made.lanes.push_back(std::move(lanes.shares));
  }
  *this = ProductRows();
  co_return made;
}

}  // namespace sotto::protocols
