#include "apps/bandit/model/batch/lift.h"

#include <optional>
#include <utility>

#include "apps/bandit/model/parameters.h"
#include "sotto/protocol/arithmetic/one_hots.h"
#include "sotto/protocol/arithmetic/product.h"
#include "sotto/protocol/arithmetic/selection.h"
#include "sotto/protocol/async/when_all.h"
#include "sotto/protocol/boolean/bits.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/io/checkpoint_shares.h"
#include "sotto/protocol/io/mask.h"
#include "sotto/protocol/sharing/rearrange.h"

namespace sotto::apps::bandit {
namespace {

using namespace protocols;
using Fill = LiftEvents::Fill;

// Without a dealer, bits are not multiplied by bits (selection.h), so the parties also have the bits as masked words.
struct LiftBits {
  MaskedBits bits;
  std::optional<Masked> words;
};

Task<LiftBits> with_words(Party& party, MaskedBits bits, Label label) {
  LiftBits result{std::move(bits), std::nullopt};
  if (!party.topology().has_dealer()) result.words = co_await mask(party, shares_of(party, result.bits), label);
  co_return result;
}

Task<LiftBits> masked_column(Party& party, Bool row, Label label) {
  MaskedBits bits = co_await mask_bits(party, row.reshaped(Shape{row.lanes(), 1}), label);
  co_return co_await with_words(party, std::move(bits), label);
}

Arith by_level(Party& party, const LiftBits& levels, const LiftBits& column) {
  const MatMul map(levels.bits.shape, column.bits.shape);
  if (levels.words) return matmul(party, *levels.words, *column.words);
  return both(party, map, levels.bits, column.bits);
}

Task<MaskedBits> bits_of(Party& party, NodeId owner, Shape shape, const Fill& fill, Label label) {
  Input input = input_at(party, owner, shape, 0, fill);
  co_return co_await share_bits(party, owner, std::move(input), label);
}

// The bits with which each party says which events it counts.
Task<PoolVector<Bool>> counted_bits(Party& party, Shape row, Fill fill) {
  PoolVector<Task<MaskedBits>> tasks;
  for (NodeId node = 0; node < party.topology().parties(); ++node) {
    tasks.push_back(bits_of(party, node, row, fill, "counted events"));
  }
  const PoolVector<MaskedBits> shared = co_await when_all(std::move(tasks));
  PoolVector<Bool> bits;
  for (const MaskedBits& own : shared) bits.push_back(xor_shares_of(party, own));
  co_return bits;
}

Task<Bool> and_of_all(Party& party, PoolVector<Bool> bits) {
  while (bits.size() > 1) {
    PoolVector<Task<Bool>> pairs;
    for (std::size_t i = 0; i + 1 < bits.size(); i += 2) {
      pairs.push_back(bit_and(party, std::move(bits[i]), std::move(bits[i + 1]), "counted by all"));
    }
    const bool is_odd = bits.size() % 2 == 1;
    Bool last = is_odd ? std::move(bits.back()) : Bool{};
    bits = co_await when_all(std::move(pairs));
    if (is_odd) bits.push_back(std::move(last));
  }
  co_return std::move(bits.front());
}

void require_levels(const Party& party, const Public& excess) {
  excess.if_known([&](const Words& words) {
    if (words.front() == 0) return;
    throw ProtocolError(ProtocolError::Kind::malformed, party.topology().name(rewarder_of(party.topology())), 0,
                        "the reward levels that the rewarder brings are no one-hots: the learn counts nothing; the "
                        "rewarder is another program than this, or one that cheats");
  });
}

}  // namespace

Task<LiftOf> count_lift(Party& party, const BatchPlan& plan, LiftEvents events) {
  const NodeId actor = actor_of(party.topology());
  const NodeId rewarder = rewarder_of(party.topology());
  const std::size_t levels = plan.lift_levels;
  const Shape row{1, events.events};
  const Shape counts{levels, 3};

  // Round 1.
  Input brought = input_at(party, rewarder, counts, 0, events.noise);
  auto [told, base, level, counted, noise] = co_await when_all(
      bits_of(party, actor, row, events.told, "told events"), bits_of(party, actor, row, events.base, "baseline arms"),
      bits_of(party, rewarder, Shape{levels + 1, events.events}, events.rewards, "reward levels"),
      counted_bits(party, row, events.counted), share_input(party, rewarder, std::move(brought), "noise of rewards"));

  // Round 2, and the rounds of the AND. The parties draw the coins only after the rewarder's bits are fixed.
  const Bool of_base = xor_shares_of(party, base);
  Bool best = lowest_bits(shares_from(party, row, 0, events.best));
  Arith coins = shares_from(party, Shape{1, 2}, 0, events.coins);
  Arith to_show = shares_from(party, counts, 0, events.shown) + noise.shares(party);
  auto [drawn, shown, levels_of_events, by_all, best_base] = co_await when_all(
      open(party, std::move(coins), "coins of the lift"),
      open_to(party, actor, std::move(to_show), "lift to actor", std::move(events.sent)),
      with_words(party, first_rows(level, levels), "reward levels again"), and_of_all(party, std::move(counted)),
      bit_and(party, of_base, std::move(best), "best baseline arms"));

  auto [u, v, w, excess] = co_await when_all(
      bit_and(party, xor_shares_of(party, told), by_all, "events of the lift"),
      bit_and(party, of_base, by_all, "events of the baseline arm"),
      bit_and(party, best_base, by_all, "events of the best baseline arm"),
      open(party, one_hot_excess(party, level, OneHots::columns, drawn, "reward levels"), "check of levels"));
  require_levels(party, excess);

  auto [all, of_arm, of_best] =
      co_await when_all(masked_column(party, std::move(u), "events of the lift"),
                        masked_column(party, std::move(v), "events of the baseline arm"),
                        masked_column(party, std::move(w), "events of the best baseline arm"));
  LiftOf lift;
  lift.all = by_level(party, levels_of_events, all);
  lift.best = by_level(party, levels_of_events, of_best);
  lift.other = by_level(party, levels_of_events, of_arm) - lift.best;
  lift.shown = std::move(shown);
  co_return lift;
}

}  // namespace sotto::apps::bandit
