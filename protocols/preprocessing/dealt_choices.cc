// Tables and choices of Dealt. What the dealer writes takes the same time whatever the masks and its samples are.
#include <numeric>
#include <span>
#include <type_traits>

#include "protocols/preprocessing/digit_tables.h"
#include "sotto/protocol/preprocessing/dealt.h"
#include "sotto/protocol/random/prg.h"
#include "sotto/protocol/ring/fixed_point.h"

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
  const std::size_t size = tables.size();
  deal_tables(tables, sum, [&](std::size_t lane, auto* out) {
    const std::size_t column = lane % groups.columns;
    const std::size_t group = lane / groups.columns;
    const std::size_t members = groups.members(group);
    const std::size_t event = groups.event_of(group);
    const std::uint64_t explore = samples.explore.empty() ? 0 : samples.explore[event];
    const std::uint64_t forced =
        samples.arms.empty() ? 0 : explore & static_cast<std::uint64_t>(samples.arms[event] == column);
    const std::uint64_t member = column < members ? 1 - explore : 0;
    const std::uint64_t hit = (wins.words[lane] + members - 1) & (size - 1);
    for (std::size_t d = 0; d < size; ++d) {
      write_entry(out[d], forced | (member & static_cast<std::uint64_t>(d == hit)));
    }
  });
}

void Dealt::table(const Tables& tables, const IndexMask& m, const TableFunction& f, std::span<std::uint64_t> sum) {
  begin(Request::table, tables.lanes);
  const std::size_t size = tables.size();
  deal_tables(tables, sum, [&](std::size_t lane, auto* out) {
    for (std::size_t d = 0; d < size; ++d) write_entry(out[d], f(lane, (d - m.words[lane]) & (size - 1)));
  });
}

Samples Dealt::samples(std::size_t events, std::size_t arms, Exploration exploration) {
  begin(Request::samples, events * arms);
  Samples samples;
  if (!at_dealer()) return samples;
  Prg& coins = this->coins();
  samples.ranks.resize(events * arms);
  for (std::size_t event = 0; event < events; ++event) {
    const auto ranks = std::span(samples.ranks).subspan(event * arms, arms);
    std::iota(ranks.begin(), ranks.end(), std::size_t{0});
    for (std::size_t i = arms; i > 1; --i) std::swap(ranks[i - 1], ranks[coins.below(i)]);
    const bool below = coins.next() < exploration.threshold;
    samples.explore.push_back(exploration.always || below ? 1 : 0);
    samples.arms.push_back(coins.below(arms));
  }
  return samples;
}

Additive Dealt::explored_places(std::size_t events, std::size_t arms, const Samples& samples) {
  const std::size_t places = arms * (arms + 1) / 2;
  begin(Request::explored_places, events * places);
  return Additive{deal(events * places, 8, [&](std::span<std::uint64_t> out) {
    std::fill(out.begin(), out.end(), 0);
    for (std::size_t event = 0; event < events; ++event) {
      for (std::size_t m = 1; m <= arms; out = out.subspan(m++)) out[coins().below(m)] = samples.explore[event];
    }
  })};
}

IndexMask Dealt::pair_masks(const IndexMask& m, unsigned bits, const ValueGroups& groups, const Samples& samples) {
  const std::size_t pairs = groups.pairs();
  begin(Request::pair_masks, pairs);
  IndexMask result;
  if (!at_dealer()) return result;
  result.words.resize(pairs);
  const std::uint64_t ring = ring_mask(bits);
  const std::size_t places = groups.an_event() * groups.columns;
  const bool dense = places == groups.candidates;  // then a lane is the number of an arm
  const auto rank = [&](std::size_t lane) {
    return samples.ranks[dense ? lane : lane / places * groups.candidates + lane % places];
  };
  const bool ranked = !samples.ranks.empty();
  groups.for_each_pair([&](std::size_t pair, std::size_t i, std::size_t j) {
    const auto j_wins_ties = static_cast<std::uint64_t>(ranked && rank(i) < rank(j));
    result.words[pair] = (m.words[i] - m.words[j] + j_wins_ties) & ring;
  });
  return result;
}

Mask Dealt::ranked_mask(const Mask& m, const Samples& samples, RankedWidths widths, const ValueGroups& groups) {
  begin(Request::ranked_mask, groups.shape().lanes());
  return Mask{deal(groups.shape().lanes(), 64, [&](std::span<std::uint64_t> out) {
    std::fill(out.begin(), out.end(), 0);
    for (std::size_t i = 0; i < m.words.size(); ++i) {
      const std::size_t lane = groups.lane(i / groups.candidates, i % groups.candidates);
      out[lane] = ((m.words[i] >> widths.shift) << widths.rank_bits) - samples.ranks[i];
    }
  })};
}

}  // namespace sotto::protocols

namespace sotto {

Samples Samples::in_groups(std::size_t columns) const {
  if (arms.empty()) return {ranks, {}, {}};
  Samples result = *this;
  for (std::size_t& arm : result.arms) arm %= columns;
  return result;
}

Samples Samples::among_groups(std::size_t columns) const {
  Samples result{{}, explore, arms};
  for (std::size_t& arm : result.arms) arm /= columns;
  return result;
}

}  // namespace sotto
