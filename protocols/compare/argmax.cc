#include "protocols/compare/argmax.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/async/when_all.h"
#include "core/sharing/share_access.h"
#include "protocols/arithmetic/product.h"
#include "protocols/compare/ranked_values.h"
#include "protocols/compare/samples.h"
#include "protocols/compare/winners.h"
#include "protocols/io/mask.h"

namespace sotto::protocols {
namespace {

Task<Arith> pairwise(Party& party, Masked scores, ArgmaxOptions options) {
  const Samples samples = draw_samples(party, scores.lanes(), options.exploration);
  DealersChoice choice{samples.ranks, {}};
  if (samples.explore) choice.forced = {samples.arm};
  MaskedIndex values = MaskedIndex::window(scores, options.shift, 64 - options.shift);
  co_return co_await winners(party, std::move(values), options.comparison_bits, std::move(choice));
}

Task<Arith> tournament(Party& party, Masked scores, ArgmaxOptions options) {
  const std::size_t arms = scores.lanes();
  const std::size_t group = tournament_group(arms);
  const Shape groups{(arms + group - 1) / group, group};
  const auto rank_bits = static_cast<unsigned>(std::bit_width(arms - 1));
  // Values lie within 2^(k + l) of zero once ranks and the padding are in, their differences within
  // twice that.
  const unsigned bits = options.comparison_bits + rank_bits + 2;
  if (bits > 62 || options.comparison_bits + 2 + options.shift > 64) {
    throw std::invalid_argument("too many arms for scores of this width: compare fewer bits");
  }
  const Samples samples = draw_samples(party, arms, options.exploration);
  const RankedWidths widths{options.shift, rank_bits, options.comparison_bits};
  const Masked values = ranked_values(party, scores, samples.ranks, groups, widths);

  // 1. The best of each group, or the column of the explored arm in every group.
  DealersChoice in_groups;
  DealersChoice among_groups;
  if (samples.explore) {
    in_groups.forced.assign(groups.rows, samples.arm % group);
    among_groups.forced = {samples.arm / group};
  }
  MaskedIndex group_values = MaskedIndex::window(values, 0, bits);
  Arith best = co_await winners(party, std::move(group_values), bits, std::move(in_groups));

  // 2. Its value.
  const Masked best_in_group = co_await mask(party, std::move(best), "best of groups");
  Arith best_value = row_dot(party, best_in_group, values).reshaped(Shape{1, groups.rows});
  const Masked finalists = co_await mask(party, std::move(best_value), "finalists");

  // 3. The best of those, and the arm it stands for.
  MaskedIndex final_values = MaskedIndex::window(finalists, 0, bits);
  Arith winner = co_await winners(party, std::move(final_values), bits, std::move(among_groups));
  const Masked best_group =
      co_await mask(party, winner.reshaped(Shape{groups.rows, 1}), "best group");
  const Arith one_hot = row_scale(party, best_group, best_in_group);

  Words shares = ShareAccess::words(one_hot);
  if (!shares.empty()) shares.resize(arms);
  co_return Arith(scores.shape(), 0, std::move(shares));
}

}  // namespace

std::size_t tournament_group(std::size_t arms) {
  std::size_t best = arms;
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (std::size_t group = 2; group <= std::min(arms, max_pairwise); ++group) {
    const std::size_t groups = (arms + group - 1) / group;
    const std::size_t pairs = groups * group * (group - 1) / 2 + groups * (groups - 1) / 2;
    if (pairs < least) {
      least = pairs;
      best = group;
    }
  }
  return best;
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
