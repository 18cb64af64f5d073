#include "sotto/protocols/compare/winners.h"

#include <bit>
#include <span>
#include <utility>

#include "sotto/core/ring/fixed_point.h"
#include "sotto/core/sharing/share_access.h"
#include "sotto/protocols/compare/below_zero.h"
#include "sotto/protocols/io/mask.h"
#include "sotto/protocols/lookup/table_lookup.h"

namespace sotto::protocols {
namespace {

// v_i - v_j for each pair of a group, less [rank_i < rank_j], which the mask holds.
MaskedIndex differences(Party& party, const MaskedIndex& values, const ValueGroups& groups, const Samples& samples) {
  const std::uint64_t ring = ring_mask(values.bits());
  const Words& d = ShareAccess::words(values);
  const std::size_t pairs = groups.pairs();
  Words words(d.empty() ? 0 : pairs);
  if (!d.empty()) {
    groups.for_each_pair([&](std::size_t pair, std::size_t i, std::size_t j) { words[pair] = (d[i] - d[j]) & ring; });
  }
  IndexMask masks = party.preprocessing().pair_masks(ShareAccess::mask(values), values.bits(), groups, samples);
  return MaskedIndex(Shape{1, pairs}, values.bits(), std::move(words), std::move(masks));
}

// How many pairs of its group each value wins, given [v_i < v_j] a pair.
Arith count_wins(const Party& party, const ValueGroups& groups, const Arith& below) {
  const Words& lost = ShareAccess::words(below);
  Words wins(party.holds_shares() ? groups.shape.lanes() : 0, 0);
  if (party.holds_shares()) {
    const std::uint64_t one = party.adds_constants() ? 1 : 0;
    groups.for_each_pair([&](std::size_t pair, std::size_t i, std::size_t j) {
      wins[i] += one - lost[pair];
      wins[j] += lost[pair];
    });
    const std::uint64_t ring = ring_mask(below.bits());
    for (std::uint64_t& word : wins) word &= ring;
  }
  return Arith(groups.shape, 0, std::move(wins), below.bits());
}

}  // namespace

Task<Arith> winners(Party& party, MaskedIndex values, Shape shape, unsigned comparison_bits, Samples samples) {
  const ValueGroups groups{values.lanes(), shape};
  const auto count_bits = static_cast<unsigned>(shape.columns < 2 ? 1 : std::bit_width(shape.columns - 1));

  // 1. All pairs.
  MaskedIndex pairs = differences(party, values, groups, samples);
  const ComparisonPlan plan = plan_comparison(comparison_bits, count_bits);
  const Arith below = co_await below_zero(party, std::move(pairs), plan, count_bits, "compare pairs");

  // 2. Wins, opened masked; the last table gives the winner of all, or the arm to explore.
  Arith wins = count_wins(party, groups, below);
  const MaskedIndex count = co_await mask_index(party, std::move(wins), "count wins");
  const auto request = [&](const Tables& tables, std::span<std::uint64_t> bits) {
    party.preprocessing().winner_tables(tables, ShareAccess::mask(count), groups, samples, bits);
  };
  co_return taken_entries(count, count.bits(), 64, request);
}

}  // namespace sotto::protocols
