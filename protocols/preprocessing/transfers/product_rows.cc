#include "sotto/protocols/preprocessing/transfers/product_rows.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "sotto/core/async/when_all.h"
#include "sotto/core/error/errors.h"
#include "sotto/core/ring/fixed_point.h"
#include "sotto/protocols/preprocessing/transfers/transfer_products.h"

namespace sotto::protocols {
namespace {

constexpr std::size_t most_width = 64;

Words counted_up(std::size_t count) {
  Words words(count);
  std::iota(words.begin(), words.end(), std::uint64_t{0});
  return words;
}

// The entry of one operand in each pair.
Words entries(const BilinearMap& map, Operand side) {
  Words pairs(map.pairs());
  const bool left = side == Operand::left;
  const Words x = left ? counted_up(map.left.lanes()) : Words(map.left.lanes(), 1);
  const Words y = left ? Words(map.right.lanes(), 1) : counted_up(map.right.lanes());
  map.pair_products(pairs.data(), x.data(), y.data());
  return pairs;
}

// Numbers of pairs, those of one entry one after the other, in the order of the entries: a counting sort.
PoolVector<std::uint32_t> by_entry(const Words& entry_of, std::size_t entries) {
  PoolVector<std::uint32_t> first(entries + 1, 0);
  for (const std::uint64_t entry : entry_of) ++first[entry + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  PoolVector<std::uint32_t> order(entry_of.size());
  for (std::size_t p = 0; p < order.size(); ++p) order[first[entry_of[p]]++] = static_cast<std::uint32_t>(p);
  return order;
}

std::size_t distinct(const Words& entry_of, std::size_t entries) {
  PoolVector<std::uint8_t> seen(entries, 0);
  for (const std::uint64_t entry : entry_of) seen[entry] = 1;
  return static_cast<std::size_t>(std::count(seen.begin(), seen.end(), std::uint8_t{1}));
}

// Bit h of a share of factor h mod 2^shift: where the factor is 2^a times an odd number, bit a of it. With a >= shift the
// product is zero whatever h is.
std::uint64_t top_bit(std::uint64_t share, std::uint64_t factor) {
  const int zeros = std::countr_zero(factor);
  return zeros >= 64 ? 0 : share >> zeros & 1;
}

Task<Words> products_of(Party& party, TransferPair& transfers, RingProducts shape, Words words, Words choosers) {
  if (shape.choice_bits == 1) {
    return transfer_bit_products(party, transfers, shape, std::move(choosers), std::move(words));
  }
  return transfer_products(party, transfers, shape, std::move(words), std::move(choosers));
}

}  // namespace

template <class Row>
void ProductRows::for_each_row(const Noted& noted, Row&& row) {
  const std::size_t pairs = noted.pair.size();
  for (std::size_t first = 0; first < pairs;) {
    std::size_t end = first + 1;
    while (end < pairs && end - first < most_width && noted.chooser[end] == noted.chooser[first]) ++end;
    row(first, end - first);
    first = end;
  }
}

ProductRows::Kind ProductRows::kind_of(const Noted& noted, std::size_t width) {
  if (noted.shift) return {width, *noted.shift, 1};
  return {width, 64, 64};
}

void ProductRows::note(const BilinearMap& map, std::optional<Operand> top, unsigned shift) {
  require_argument(map.pairs() <= UINT32_MAX, "a product of fewer than 2^32 pairs");
  const Words left = entries(map, Operand::left);
  const Words right = entries(map, Operand::right);
  const std::size_t lefts = map.left.lanes();
  const std::size_t rights = map.right.lanes();
  const bool left_chooses = top ? *top == Operand::left : distinct(left, lefts) < distinct(right, rights);
  const Words& chooser = left_chooses ? left : right;
  const Words& other = left_chooses ? right : left;
  Noted noted{top ? std::optional(shift) : std::nullopt, left_chooses, {}, {}, {}, {}};
  noted.pair = by_entry(chooser, left_chooses ? lefts : rights);
  noted.chooser.reserve(noted.pair.size());
  noted.other.reserve(noted.pair.size());
  for (const std::uint32_t p : noted.pair) {
    noted.chooser.push_back(static_cast<std::uint32_t>(chooser[p]));
    noted.other.push_back(static_cast<std::uint32_t>(other[p]));
  }
  for_each_row(noted, [&](std::size_t, std::size_t width) { ++rows_[kind_of(noted, width)].count; });
  noted_.push_back(std::move(noted));
}

void ProductRows::note_product(const BilinearMap& map) { note(map, std::nullopt, 64); }

void ProductRows::note_cut(const BilinearMap& map, Operand top, unsigned shift) { note(map, top, shift); }

void ProductRows::note_lanes(std::size_t lanes, unsigned bits) {
  const Kind kind{1, bits, bits};
  rows_[kind].count += lanes;
  lanes_.push_back(kind);
  lane_counts_.push_back(lanes);
}

void ProductRows::map_operands(const WordPieces& x, const WordPieces& y, const Words& factors) {
  if (operands_ >= noted_.size()) throw std::logic_error("more products than were noted on shapes");
  Noted& noted = noted_[operands_++];
  const Words& chooser = noted.left_chooses ? x.own : y.own;
  const Words& other = noted.left_chooses ? y.own : x.own;
  for_each_row(noted, [&](std::size_t first, std::size_t width) {
    Rows& rows = rows_[kind_of(noted, width)];
    const std::size_t at = noted.chooser[first];
    rows.choosers.push_back(noted.shift ? top_bit(chooser[at], factors[at]) : chooser[at]);
    for (std::size_t p = first; p < first + width; ++p) rows.words.push_back(other[noted.other[p]]);
  });
  if (noted.shift) noted.factors = factors;
}

void ProductRows::lane_operands(const Words& x, const Words& y) {
  Rows& rows = rows_[lanes_.at(lane_operands_++)];
  rows.words.insert(rows.words.end(), x.begin(), x.end());
  rows.choosers.insert(rows.choosers.end(), y.begin(), y.end());
}

Task<ProductRows::Made> ProductRows::make(Party& party, TransferPair& transfers) {
  PoolVector<Task<Words>> tasks;
  for (auto& [kind, rows] : rows_) {
    const RingProducts shape{rows.count, kind.width, kind.bits, kind.choice_bits};
    tasks.push_back(products_of(party, transfers, shape, std::move(rows.words), std::move(rows.choosers)));
  }
  PoolVector<Words> shares = co_await when_all(std::move(tasks));
  std::size_t at = 0;
  for (auto& [kind, rows] : rows_) rows.shares = std::move(shares[at++]);

  Made made;
  const bool holds = transfers.sender.has_value();
  for (const Noted& noted : noted_) {
    Additive result;
    if (holds) {
      result.words.resize(noted.pair.size());
      for_each_row(noted, [&](std::size_t first, std::size_t width) {
        Rows& rows = rows_[kind_of(noted, width)];
        for (std::size_t p = first; p < first + width; ++p) {
          std::uint64_t share = rows.shares[rows.taken++];
          if (noted.shift) share = share * noted.factors[noted.chooser[p]] & ring_mask(*noted.shift);
          result.words[noted.pair[p]] = share;
        }
      });
    }
    (noted.shift ? made.of_maps.cuts : made.of_maps.products).push_back(std::move(result));
  }
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    Rows& rows = rows_[lanes_[i]];
    Words result;
    if (holds) {
      const auto begin = rows.shares.begin() + static_cast<std::ptrdiff_t>(rows.taken);
      result.assign(begin, begin + static_cast<std::ptrdiff_t>(lane_counts_[i]));
      rows.taken += lane_counts_[i];
    }
    made.lanes.push_back(std::move(result));
  }
  *this = ProductRows();
  co_return made;
}

}  // namespace sotto::protocols
