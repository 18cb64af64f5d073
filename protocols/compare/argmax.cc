#include "sotto/protocol/compare/argmax.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <span>
#include <stdexcept>
#include <utility>

#include "sotto/protocol/arithmetic/product.h"
#include "sotto/protocol/compare/below_zero.h"
#include "sotto/protocol/io/mask.h"
#include "sotto/protocol/lookup/table_lookup.h"
#include "sotto/protocol/ring/fixed_point.h"
#include "sotto/protocol/sharing/share_access.h"

namespace sotto::protocols {

Task<Arith> argmax(Party& party, Masked scores, ArgmaxOptions options) {
  const Shape shape = scores.shape();
  if (!scores.plain() || shape.lanes() == 0 || (shape.rows != 1 && shape.columns != 1)) {
    throw std::invalid_argument("argmax takes one row or column of scores with plain masks");
  }
  Masked row = scores.reshaped(Shape{1, shape.lanes()});
  Samples samples = draw_samples(party, 1, shape.lanes(), options.exploration);
  const Arith one_hot = co_await winners(party, std::move(row), {}, std::move(samples), options.widths(), 64);
  co_return one_hot.reshaped(shape);
}

namespace {

// v_i - v_j - [rank_i < rank_j] for each pair of a group; the mask contains the rank term.
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

Arith count_wins(const Party& party, const ValueGroups& groups, const AllowedArms& allowed, const Arith& below) {
  const Words& lost = ShareAccess::words(below);
  Words wins(party.holds_shares() ? groups.shape().lanes() : 0, 0);
  if (party.holds_shares()) {
    const std::uint64_t one = party.adds_constants() ? 1 : 0;
    groups.for_each_pair([&](std::size_t pair, std::size_t i, std::size_t j) {
      std::uint64_t loss = lost[pair];
      if (!allowed.empty() && (allowed[i] == 0 || allowed[j] == 0)) loss = allowed[j] != 0 ? one : 0;
      wins[i] += one - loss;
      wins[j] += loss;
    });
    const std::uint64_t ring = ring_mask(below.bits());
    for (std::uint64_t& word : wins) word &= ring;
  }
  return Arith(groups.shape(), 0, std::move(wins), below.bits());
}

struct Contest {
  ValueGroups groups;
  unsigned bits;
  unsigned result_bits;
  Samples samples;
  AllowedArms allowed;
};

// The masked numbers of wins. The highest number of a group is that of the group's best value.
Task<MaskedIndex> counted_wins(Party& party, MaskedIndex values, const Contest& contest) {
  const ValueGroups& groups = contest.groups;
  const auto count_bits = static_cast<unsigned>(groups.columns < 2 ? 1 : std::bit_width(groups.columns - 1));

  MaskedIndex pairs = differences(party, values, groups, contest.samples);
  const ComparisonPlan plan = plan_comparison(contest.bits, count_bits);
  const Arith below = co_await below_zero(party, std::move(pairs), plan, count_bits, "compare pairs");

  Arith wins = count_wins(party, groups, contest.allowed, below);
  co_return co_await mask_index(party, std::move(wins), "count wins");
}

Arith winners_of(Party& party, const MaskedIndex& wins, const ValueGroups& groups, const Samples& samples,
                 unsigned result_bits) {
  return taken_entries(wins, wins.bits(), result_bits, [&](const Tables& tables, std::span<std::uint64_t> bits) {
    party.preprocessing().winner_tables(tables, ShareAccess::mask(wins), groups, samples, bits);
  });
}

Task<Arith> best_of_groups(Party& party, MaskedIndex values, Contest contest) {
  const MaskedIndex wins = co_await counted_wins(party, std::move(values), contest);
  co_return winners_of(party, wins, contest.groups, contest.samples, contest.result_bits);
}

template <class Values>
Values at_places(const Values& values, const ValueGroups& groups) {
  if (values.empty() || groups.shape().lanes() == values.size()) return values;
  Values result(groups.shape().lanes(), 0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    result[groups.lane(i / groups.candidates, i % groups.candidates)] = values[i];
  }
  return result;
}

Contest of_all_pairs(Shape shape, AllowedArms allowed, Samples samples, ScoreWidths widths, unsigned result_bits) {
  return {ValueGroups{shape.rows, shape.columns, shape.columns}, widths.comparison_bits, result_bits,
          std::move(samples), std::move(allowed)};
}

Task<Arith> pairwise(Party& party, Masked scores, AllowedArms allowed, Samples samples, ScoreWidths widths,
                     unsigned result_bits) {
  Contest contest = of_all_pairs(scores.shape(), std::move(allowed), std::move(samples), widths, result_bits);
  MaskedIndex values = MaskedIndex::bit_range(scores, widths.shift, 64 - widths.shift);
  co_return co_await best_of_groups(party, std::move(values), std::move(contest));
}

// The value of each group's winner ends in l bits of rank, and rounding needs one more bit.
unsigned final_bits(std::size_t arms, unsigned comparison_bits) {
  return comparison_bits + static_cast<unsigned>(std::bit_width(arms - 1)) + 1;
}

// Each lane gets (score >> shift) 2^l + rank, where l is the number of rank bits. The result is right modulo 2^(64 -
// shift + l), except that score >> shift may be one too large (masked.h).
Masked ranked_values(Party& party, const Masked& scores, const ValueGroups& groups, const Samples& samples,
                     RankedWidths widths) {
  Mask mask = party.preprocessing().ranked_mask(ShareAccess::mask(scores), samples, widths, groups);
  Words words = at_places(ShareAccess::words(scores), groups);
  for (std::uint64_t& word : words) word = (word >> widths.shift) << widths.rank_bits;
  return Masked(groups.shape(), 0, std::move(words), std::move(mask));
}

AllowedArms allowed_groups(const ValueGroups& groups, const AllowedArms& lanes) {
  AllowedArms result(lanes.empty() ? 0 : groups.shape().rows, 0);
  for (std::size_t lane = 0; lane < lanes.size(); ++lane) result[lane / groups.columns] |= lanes[lane];
  return result;
}

Task<Arith> tournament(Party& party, Masked scores, AllowedArms allowed, Samples samples, ScoreWidths widths,
                       unsigned result_bits) {
  const Shape shape = scores.shape();
  const std::size_t arms = shape.columns;
  const ValueGroups groups{shape.rows, arms, tournament_group(arms, widths.comparison_bits)};
  const std::size_t finalists_an_event = groups.an_event();
  const unsigned bits = final_bits(arms, widths.comparison_bits);
  if (bits > 62 || widths.comparison_bits + 1 + widths.shift > 64) {
    throw std::invalid_argument("too many arms for scores of this width: compare fewer bits");
  }
  const RankedWidths ranked{widths.shift, static_cast<unsigned>(std::bit_width(arms - 1))};
  const Masked values = ranked_values(party, scores, groups, samples, ranked);

  const Masked placed(groups.shape(), scores.scale(), at_places(ShareAccess::words(scores), groups),
                      Mask{at_places(ShareAccess::mask(scores).words, groups)});
  Contest in_groups{groups, widths.comparison_bits, 64, samples.in_groups(groups.columns), at_places(allowed, groups)};
  Contest among_groups{ValueGroups{shape.rows, finalists_an_event, finalists_an_event}, bits, 64,
                       samples.among_groups(groups.columns), allowed_groups(groups, in_groups.allowed)};
  MaskedIndex group_values = MaskedIndex::bit_range(placed, widths.shift, 64 - widths.shift);
  Arith best = co_await best_of_groups(party, std::move(group_values), std::move(in_groups));

  const Masked best_in_group = co_await mask(party, std::move(best), "best of groups");
  Arith best_value = row_dot(party, best_in_group, values);
  const Masked finalists = co_await mask(party, std::move(best_value), "finalists");

  MaskedIndex final_values = MaskedIndex::bit_range(finalists, 0, bits);
  Arith winner = co_await best_of_groups(party, std::move(final_values), std::move(among_groups));
  const Masked best_group = co_await mask(party, winner.reshaped(Shape{groups.shape().rows, 1}), "best group");
  const Arith one_hot = row_scale(party, best_group, best_in_group);

  const Words& all = ShareAccess::words(one_hot);
  Words shares(all.empty() ? 0 : shape.lanes());
  for (std::size_t i = 0; i < shares.size(); ++i) shares[i] = all[groups.lane(i / arms, i % arms)];
  co_return Arith(shape, 0, std::move(shares)).in_ring(result_bits);
}

std::size_t dealt_in_groups(std::size_t groups, std::size_t columns, unsigned bits) {
  const auto count_bits = static_cast<unsigned>(columns < 2 ? 1 : std::bit_width(columns - 1));
  const std::size_t comparison = dealt_bits(plan_comparison(bits, count_bits), count_bits);
  const std::size_t count = std::size_t{64} << count_bits;
  return groups * (columns * (columns - 1) / 2 * comparison + columns * count);
}

std::size_t cheapest_group(std::size_t arms, unsigned comparison_bits) {
  std::size_t best = arms;
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (std::size_t group = 2; group <= std::min(arms, max_pairwise); ++group) {
    const std::size_t groups = (arms + group - 1) / group;
    if (groups > std::size_t{1} << 12) continue;  // the limit of the table that counts wins
    const std::size_t dealt =
        dealt_in_groups(groups, group, comparison_bits) + dealt_in_groups(1, groups, final_bits(arms, comparison_bits));
    if (dealt >= least) continue;
    least = dealt;
    best = group;
  }
  return best;
}

}  // namespace

std::size_t tournament_group(std::size_t arms, unsigned comparison_bits) {
  struct Remembered {
    std::size_t arms = 0;
    unsigned bits = 0;
    std::size_t group = 1;
  };
  thread_local Remembered last;
  if (last.arms != arms || last.bits != comparison_bits) {
    last = {arms, comparison_bits, cheapest_group(arms, comparison_bits)};
  }
  return std::max<std::size_t>(last.group, 1);
}

Samples draw_samples(Party& party, std::size_t events, std::size_t arms, Exploration exploration) {
  return party.preprocessing().samples(events, arms, exploration);
}

Task<Arith> winners(Party& party, Masked scores, AllowedArms allowed, Samples samples, ScoreWidths widths,
                    unsigned result_bits) {
  const bool all_pairs = scores.shape().columns <= max_pairwise;
  return (all_pairs ? pairwise : tournament)(party, std::move(scores), std::move(allowed), std::move(samples), widths,
                                             result_bits);
}

Task<WinnersAndBest> winners_and_best(Party& party, Masked scores, AllowedArms allowed, Samples samples,
                                      ScoreWidths widths, unsigned result_bits) {
  if (scores.shape().columns > max_pairwise) throw std::invalid_argument("the best arm is known only to all pairs");
  const Contest contest = of_all_pairs(scores.shape(), std::move(allowed), std::move(samples), widths, result_bits);
  MaskedIndex values = MaskedIndex::bit_range(scores, widths.shift, 64 - widths.shift);
  const MaskedIndex wins = co_await counted_wins(party, std::move(values), contest);
  Arith winners = winners_of(party, wins, contest.groups, contest.samples, contest.result_bits);
  Arith best = winners_of(party, wins, contest.groups, Samples{}, 1);
  co_return WinnersAndBest{std::move(winners), std::move(best)};
}

}  // namespace sotto::protocols
