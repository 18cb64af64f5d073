#include "protocols/compare/winners.h"

#include <bit>
#include <utility>

#include "core/ring/fixed_point.h"
#include "core/sharing/share_access.h"
#include "protocols/compare/below_zero.h"
#include "protocols/io/mask.h"
#include "protocols/lookup/look_up.h"

namespace sotto::protocols {
namespace {

template <class F>
void for_each_pair(Shape shape, F f) {
  std::size_t pair = 0;
  for (std::size_t r = 0; r < shape.rows; ++r) {
    for (std::size_t i = 0; i < shape.columns; ++i) {
      for (std::size_t j = i + 1; j < shape.columns; ++j) {
        f(pair++, r * shape.columns + i, r * shape.columns + j);
      }
    }
  }
}

std::size_t pairs_of(Shape shape) { return shape.rows * (shape.columns * (shape.columns - 1) / 2); }

// v_i - v_j for each pair of a row; the dealer adds [rank_i < rank_j] to the mask, which takes it
// off the value.
MaskedIndex differences(const MaskedIndex& values, const DealersChoice& choice) {
  const Shape shape = values.shape();
  const std::uint64_t ring = ring_mask(values.bits());
  const Words& d = ShareAccess::words(values);
  const Words& m = ShareAccess::mask(values);
  Words words(d.empty() ? 0 : pairs_of(shape));
  Words masks(m.empty() ? 0 : pairs_of(shape));
  if (!d.empty()) {
    for_each_pair(shape, [&](std::size_t pair, std::size_t i, std::size_t j) {
      words[pair] = (d[i] - d[j]) & ring;
    });
  }
  if (!m.empty()) {
    for_each_pair(shape, [&](std::size_t pair, std::size_t i, std::size_t j) {
      const bool j_wins_ties = !choice.ranks.empty() && choice.ranks[i] < choice.ranks[j];
      masks[pair] = (m[i] - m[j] + (j_wins_ties ? 1 : 0)) & ring;
    });
  }
  return MaskedIndex(Shape{1, pairs_of(shape)}, values.bits(), std::move(words), std::move(masks));
}

// How many pairs of its row each value wins, given [v_i < v_j] a pair.
Arith count_wins(const Party& party, Shape shape, const Arith& below) {
  const Words& lost = ShareAccess::words(below);
  Words wins(party.holds_shares() ? shape.lanes() : 0, 0);
  if (party.holds_shares()) {
    const std::uint64_t ring = ring_mask(below.bits());
    const std::uint64_t one = party.adds_constants() ? 1 : 0;
    for_each_pair(shape, [&](std::size_t pair, std::size_t i, std::size_t j) {
      wins[i] = (wins[i] + one - lost[pair]) & ring;
      wins[j] = (wins[j] + lost[pair]) & ring;
    });
  }
  return Arith(shape, 0, std::move(wins), below.bits());
}

}  // namespace

Task<Arith> winners(Party& party, MaskedIndex values, unsigned comparison_bits,
                    DealersChoice choice) {
  const Shape shape = values.shape();
  const auto count_bits =
      static_cast<unsigned>(shape.columns < 2 ? 1 : std::bit_width(shape.columns - 1));

  // 1. All pairs.
  MaskedIndex pairs = differences(values, choice);
  const ComparisonPlan plan = plan_comparison(comparison_bits, count_bits);
  const Arith below =
      co_await below_zero(party, std::move(pairs), plan, count_bits, "compare pairs");

  // 2. Wins, opened masked; the last table tells who won them all, or whom the dealer chose.
  Arith wins = count_wins(party, shape, below);
  const MaskedIndex count = co_await mask_index(party, std::move(wins), "count wins");
  co_return look_up(party, count, 64, [&](std::size_t lane, std::uint64_t won) -> std::uint64_t {
    const std::size_t row = lane / shape.columns;
    const std::size_t column = lane % shape.columns;
    return choice.forced.empty() ? won == shape.columns - 1 : choice.forced[row] == column;
  });
}

}  // namespace sotto::protocols
