#include "sotto/protocols/compare/winners.h"

#include <algorithm>
#include <bit>
#include <type_traits>
#include <utility>

#include "sotto/core/ring/fixed_point.h"
#include "sotto/core/sharing/share_access.h"
#include "sotto/protocols/compare/below_zero.h"
#include "sotto/protocols/io/mask.h"
#include "sotto/protocols/lookup/table_lookup.h"

namespace sotto::protocols {
namespace {

// `count` values in groups, the last of which may be short.
struct Grouped {
  std::size_t count;
  Shape groups;

  [[nodiscard]] std::size_t members(std::size_t group) const {
    return std::min(groups.columns, count - group * groups.columns);
  }
  // f(pair, i, j) for all pairs i < j of a group, group by group.
  template <class F>
  void for_each_pair(F f) const {
    std::size_t pair = 0;
    for (std::size_t g = 0; g < groups.rows; ++g) {
      const std::size_t end = g * groups.columns + members(g);
      for (std::size_t i = g * groups.columns; i < end; ++i) {
        for (std::size_t j = i + 1; j < end; ++j) f(pair++, i, j);
      }
    }
  }
  [[nodiscard]] std::size_t pairs() const {
    std::size_t sum = 0;
    for (std::size_t g = 0; g < groups.rows; ++g) sum += members(g) * (members(g) - 1) / 2;
    return sum;
  }
};

// v_i - v_j for each pair of a group; the dealer adds [rank_i < rank_j] to the mask, which takes it off the value.
MaskedIndex differences(const MaskedIndex& values, const Grouped& grouped, const DealersChoice& choice) {
  const std::uint64_t ring = ring_mask(values.bits());
  const Words& d = ShareAccess::words(values);
  const Words& m = ShareAccess::mask(values);
  const std::size_t pairs = grouped.pairs();
  Words words(d.empty() ? 0 : pairs);
  Words masks(m.empty() ? 0 : pairs);
  if (!d.empty()) {
    grouped.for_each_pair([&](std::size_t pair, std::size_t i, std::size_t j) { words[pair] = (d[i] - d[j]) & ring; });
  }
  if (!m.empty()) {
    const bool ranked = !choice.ranks.empty();
    grouped.for_each_pair([&](std::size_t pair, std::size_t i, std::size_t j) {
      const auto j_wins_ties = static_cast<std::uint64_t>(ranked && choice.ranks[i] < choice.ranks[j]);
      masks[pair] = (m[i] - m[j] + j_wins_ties) & ring;
    });
  }
  return MaskedIndex(Shape{1, pairs}, values.bits(), std::move(words), std::move(masks));
}

// How many pairs of its group each value wins, given [v_i < v_j] a pair.
Arith count_wins(const Party& party, const Grouped& grouped, const Arith& below) {
  const Words& lost = ShareAccess::words(below);
  Words wins(party.holds_shares() ? grouped.groups.lanes() : 0, 0);
  if (party.holds_shares()) {
    const std::uint64_t one = party.adds_constants() ? 1 : 0;
    grouped.for_each_pair([&](std::size_t pair, std::size_t i, std::size_t j) {
      wins[i] += one - lost[pair];
      wins[j] += lost[pair];
    });
    const std::uint64_t ring = ring_mask(below.bits());
    for (std::uint64_t& word : wins) word &= ring;
  }
  return Arith(grouped.groups, 0, std::move(wins), below.bits());
}

// The winner of all its pairs, or the dealer's choice. Both are written alike, so that the time does not tell which.
Arith won_them_all(Party& party, const Grouped& grouped, const MaskedIndex& count, const DealersChoice& choice) {
  const Words& masks = ShareAccess::mask(count);
  const std::size_t columns = grouped.groups.columns;
  const std::size_t size = std::size_t{1} << count.bits();
  const auto write = [&](std::size_t first, std::size_t lanes, auto* out) {
    for (std::size_t lane = first; lane < first + lanes; ++lane, out += size) {
      const std::size_t group = lane / columns;
      const std::size_t column = lane % columns;
      const std::size_t members = grouped.members(group);
      const auto explore = static_cast<std::uint64_t>(choice.explore);
      const auto chosen = static_cast<std::uint64_t>(choice.forced[group] == column);
      const std::uint64_t forced = explore & chosen;
      const std::uint64_t member = column < members ? 1 - explore : 0;
      const std::uint64_t hit = (masks[lane] + members - 1) & (size - 1);
      for (std::size_t d = 0; d < size; ++d) {
        out[d] = static_cast<std::remove_reference_t<decltype(*out)>>(forced |
                                                                      (member & static_cast<std::uint64_t>(d == hit)));
      }
    }
  };
  return fill_tables(party, count, count.bits(), 64, write);
}

}  // namespace

Task<Arith> winners(Party& party, MaskedIndex values, Shape groups, unsigned comparison_bits, DealersChoice choice) {
  const Grouped grouped{values.lanes(), groups};
  const auto count_bits = static_cast<unsigned>(groups.columns < 2 ? 1 : std::bit_width(groups.columns - 1));

  // 1. All pairs.
  MaskedIndex pairs = differences(values, grouped, choice);
  const ComparisonPlan plan = plan_comparison(comparison_bits, count_bits);
  const Arith below = co_await below_zero(party, std::move(pairs), plan, count_bits, "compare pairs");

  // 2. Wins, opened masked; the last table gives the winner of all, or the dealer's choice.
  Arith wins = count_wins(party, grouped, below);
  const MaskedIndex count = co_await mask_index(party, std::move(wins), "count wins");
  co_return won_them_all(party, grouped, count, choice);
}

}  // namespace sotto::protocols
