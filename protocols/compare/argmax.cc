#include "sotto/protocols/compare/argmax.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "sotto/core/async/when_all.h"
#include "sotto/core/sharing/share_access.h"
#include "sotto/protocols/arithmetic/product.h"
#include "sotto/protocols/compare/comparison_plan.h"
#include "sotto/protocols/compare/ranked_values.h"
#include "sotto/protocols/compare/samples.h"
#include "sotto/protocols/compare/winners.h"
#include "sotto/protocols/io/mask.h"

namespace sotto::protocols {
namespace {

Task<Arith> pairwise(Party& party, Masked scores, ArgmaxOptions options) {
  const Shape one_group{1, scores.lanes()};
  Samples samples = draw_samples(party, scores.lanes(), options.exploration);
  MaskedIndex values = MaskedIndex::bit_range(scores, options.shift, 64 - options.shift);
  co_return co_await winners(party, std::move(values), one_group, options.comparison_bits, std::move(samples));
}

// The finalists' values hold l bits of rank, and rounding takes another bit.
unsigned final_bits(std::size_t arms, unsigned comparison_bits) {
  return comparison_bits + static_cast<unsigned>(std::bit_width(arms - 1)) + 1;
}

Task<Arith> tournament(Party& party, Masked scores, ArgmaxOptions options) {
  const std::size_t arms = scores.lanes();
  const std::size_t group = tournament_group(arms, options.comparison_bits);
  const Shape groups{(arms + group - 1) / group, group};
  const auto rank_bits = static_cast<unsigned>(std::bit_width(arms - 1));
  const unsigned bits = final_bits(arms, options.comparison_bits);
  if (bits > 62 || options.comparison_bits + 1 + options.shift > 64) {
    throw std::invalid_argument("too many arms for scores of this width: compare fewer bits");
  }
  const Samples samples = draw_samples(party, arms, options.exploration);
  const RankedWidths widths{options.shift, rank_bits};
  const Masked values = ranked_values(party, scores, samples, groups, widths);

  // 1. The best of each group, or the column of the explored arm in every group.
  Samples in_groups = samples.in_groups(group);
  Samples among_groups = samples.among_groups(group);
  MaskedIndex group_values = MaskedIndex::bit_range(scores, options.shift, 64 - options.shift);
  Arith best = co_await winners(party, std::move(group_values), groups, options.comparison_bits, std::move(in_groups));

  // 2. Its value, with the rank.
  const Masked best_in_group = co_await mask(party, std::move(best), "best of groups");
  Arith best_value = row_dot(party, best_in_group, values).reshaped(Shape{1, groups.rows});
  const Masked finalists = co_await mask(party, std::move(best_value), "finalists");

  // 3. The best of those, and the arm it stands for.
  MaskedIndex final_values = MaskedIndex::bit_range(finalists, 0, bits);
  const Shape finals{1, groups.rows};
  Arith winner = co_await winners(party, std::move(final_values), finals, bits, std::move(among_groups));
  const Masked best_group = co_await mask(party, winner.reshaped(Shape{groups.rows, 1}), "best group");
  const Arith one_hot = row_scale(party, best_group, best_in_group);

  Words shares = ShareAccess::words(one_hot);
  if (!shares.empty()) shares.resize(arms);
  co_return Arith(scores.shape(), 0, std::move(shares));
}

// Bits that pairwise comparisons and counts of wins in `groups` groups of `columns` deal.
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
    if (groups > std::size_t{1} << 12) continue;  // the table that counts their wins
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
  return last.group;
}

Task<Arith> argmax(Party& party, Masked scores, ArgmaxOptions options) {
  const Shape shape = scores.shape();
  if (!scores.plain() || shape.lanes() == 0 || (shape.rows != 1 && shape.columns != 1)) {
    throw std::invalid_argument("argmax takes one row or column of scores with plain masks");
  }
  Masked row = scores.reshaped(Shape{1, shape.lanes()});
  if (shape.lanes() <= max_pairwise) {
    const Arith one_hot = co_await pairwise(party, std::move(row), options);
    co_return one_hot.reshaped(shape);
  }
  const Arith one_hot = co_await tournament(party, std::move(row), options);
  co_return one_hot.reshaped(shape);
}

}  // namespace sotto::protocols
