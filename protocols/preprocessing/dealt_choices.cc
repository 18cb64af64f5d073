// Tables and choices of Dealt. What the dealer writes takes the same time whatever the masks and its samples are.
#include <numeric>
#include <type_traits>

#include "sotto/core/random/prg.h"
#include "sotto/core/ring/fixed_point.h"
#include "sotto/protocols/preprocessing/dealt.h"
#include "sotto/protocols/preprocessing/digit_tables.h"

namespace sotto::protocols {
namespace {

template <class Entry>
void write_entry(Entry& entry, std::uint64_t word) {
  entry = static_cast<Entry>(word);
}

}  // namespace

void Dealt::digit_tables(const Tables& tables, bool lowest, const IndexMask& x, std::span<std::uint64_t> sum) {
  begin(Request::digit_tables, tables.lanes);
  deal_tables(tables, sum, [&](std::size_t lane, auto* out) {
    const std::uint64_t m = (x.words[lane] >> tables.low) & (tables.size() - 1);
    if (lowest) {
      write_borrows(out, tables.size(), m);
    } else {
      write_signs(out, tables.size(), m);
    }
  });
}

void Dealt::borrow_tables(const Tables& tables, const IndexMask& x, unsigned top, const IndexMask& m,
                          std::span<std::uint64_t> sum) {
  begin(Request::borrow_tables, tables.lanes);
  const std::size_t size = tables.size();
  deal_tables(tables, sum, [&](std::size_t lane, auto* out) {
    const std::uint64_t tops = ((x.words[lane] >> top) ^ (m.words[lane] >> tables.index_bits)) & 1;
    const std::uint64_t low = m.words[lane] & (size - 1);
    for (std::size_t d = 0; d < size; ++d) write_entry(out[d], tops ^ static_cast<std::uint64_t>(d < low));
  });
}

// The winner of all its pairs, or the arm to explore. Both are written alike, so that the time does not tell which.
void Dealt::winner_tables(const Tables& tables, const IndexMask& wins, const ValueGroups& groups,
                          const Samples& samples, std::span<std::uint64_t> sum) {
  begin(Request::winner_tables, tables.lanes);
  const std::size_t columns = groups.shape.columns;
  const std::size_t size = tables.size();
  deal_tables(tables, sum, [&](std::size_t lane, auto* out) {
    const std::size_t column = lane % columns;
    const std::size_t members = groups.members(lane / columns);
    const auto explore = static_cast<std::uint64_t>(samples.explore);
    const std::uint64_t forced = explore & static_cast<std::uint64_t>(samples.arm == column);
    const std::uint64_t member = column < members ? 1 - explore : 0;
    const std::uint64_t hit = (wins.words[lane] + members - 1) & (size - 1);
    for (std::size_t d = 0; d < size; ++d)
      write_entry(out[d], forced | (member & static_cast<std::uint64_t>(d == hit)));
  });
}

void Dealt::table(const Tables& tables, const IndexMask& m, const TableFunction& f, std::span<std::uint64_t> sum) {
  begin(Request::table, tables.lanes);
  const std::size_t size = tables.size();
  deal_tables(tables, sum, [&](std::size_t lane, auto* out) {
    for (std::size_t d = 0; d < size; ++d) write_entry(out[d], f(lane, (d - m.words[lane]) & (size - 1)));
  });
}

Samples Dealt::samples(std::size_t arms, Exploration exploration) {
  begin(Request::samples, arms);
  Samples samples;
  if (!at_dealer()) return samples;
  Prg& coins = this->coins();
  samples.ranks.resize(arms);
  std::iota(samples.ranks.begin(), samples.ranks.end(), std::size_t{0});
  for (std::size_t i = arms; i > 1; --i) std::swap(samples.ranks[i - 1], samples.ranks[coins.below(i)]);
  const bool below = coins.next() < exploration.threshold;
  samples.explore = exploration.always || below;
  samples.arm = coins.below(arms);
  return samples;
}

IndexMask Dealt::pair_masks(const IndexMask& m, unsigned bits, const ValueGroups& groups, const Samples& samples) {
  const std::size_t pairs = groups.pairs();
  begin(Request::pair_masks, pairs);
  IndexMask result;
  if (!at_dealer()) return result;
  result.words.resize(pairs);
  const std::uint64_t ring = ring_mask(bits);
  const bool ranked = !samples.ranks.empty();
  groups.for_each_pair([&](std::size_t pair, std::size_t i, std::size_t j) {
    const auto j_wins_ties = static_cast<std::uint64_t>(ranked && samples.ranks[i] < samples.ranks[j]);
    result.words[pair] = (m.words[i] - m.words[j] + j_wins_ties) & ring;
  });
  return result;
}

Mask Dealt::ranked_mask(const Mask& m, const Samples& samples, RankedWidths widths, std::size_t lanes) {
  begin(Request::ranked_mask, lanes);
  return Mask{deal(lanes, 64, [&](std::span<std::uint64_t> out) {
    std::fill(out.begin(), out.end(), 0);
    for (std::size_t a = 0; a < m.words.size(); ++a) {
      out[a] = ((m.words[a] >> widths.shift) << widths.rank_bits) - samples.ranks[a];
    }
  })};
}

}  // namespace sotto::protocols
