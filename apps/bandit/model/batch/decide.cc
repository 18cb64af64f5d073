#include "apps/bandit/model/batch/decide.h"

#include <optional>
#include <utility>

#include "apps/bandit/model/parameters.h"
#include "sotto/protocol/arithmetic/one_hots.h"
#include "sotto/protocol/arithmetic/product.h"
#include "sotto/protocol/arithmetic/selection.h"
#include "sotto/protocol/async/when_all.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/io/checkpoint_shares.h"
#include "sotto/protocol/io/mask.h"
#include "sotto/protocol/sharing/rearrange.h"

namespace sotto::apps::bandit {

using namespace protocols;

Task<Masked> share_contexts(Party& party, const BatchPlan& plan, std::size_t events, FillContexts fill) {
  PoolVector<Task<Masked>> inputs;
  for (std::size_t owner = 0; owner < plan.parameters.columns.size(); ++owner) {
    const Shape shape{events, plan.parameters.columns[owner]};
    const NodeId node = plan.parameters.holders().node(owner);
    Input input =
        input_at(party, node, shape, plan.context_bits, [&](std::span<std::uint64_t> out) { fill(owner, out); });
    inputs.push_back(share_input(party, node, std::move(input), "contexts"));
  }
  const PoolVector<Masked> parts = co_await when_all(std::move(inputs));
  co_return hstack(parts);
}

Task<Public> decide(Party& party, const BatchPlan& plan, const Masked& weights, std::size_t events, FillContexts fill,
                    AllowedArms allowed) {
  return decide(party, plan, weights.shares(party), events, std::move(fill), std::move(allowed));
}

Task<Public> decide(Party& party, const BatchPlan& plan, Arith weights, std::size_t events, FillContexts fill,
                    AllowedArms allowed, KeptOfDecide kept) {
  // Round 1.
  auto [x, w] = co_await when_all(share_contexts(party, plan, events, std::move(fill)),
                                  mask(party, std::move(weights), "w again"));

  // Round 2.
  const ArgmaxOptions options{x.scale() + w.scale() - compared_bits, plan.comparison_bits, plan.parameters.exploration};
  const Masked by_arm = transposed(w);
  Arith dots = product(party, MatMul(x.shape(), by_arm.shape()), x, by_arm, options.shift + options.comparison_bits);
  Masked scores = co_await mask(party, std::move(dots), "scores");

  // Rounds 3-5.
  const NodeId actor = actor_of(party.topology());
  if (!plan.notes_best) {
    Arith chosen = co_await choose(party, std::move(scores), std::move(allowed), options);
    co_return co_await open_to(party, actor, std::move(chosen), "arms to actor", std::move(kept.sent));
  }
  NotedChoice choice = co_await choose_and_note(party, std::move(scores), std::move(allowed), options);
  pass_shares(party, choice.is_best, kept.noted);
  co_return co_await open_to(party, actor, std::move(choice.chosen), "arms to actor", std::move(kept.sent));
}

namespace {

struct PlayedArms {
  MaskedBits bits;  // A x B
  std::optional<Masked> words;
};

// Three parties without a dealer cannot select by bits.
bool selects(const Party& party) { return party.topology().has_dealer() || selects_by_bits(party); }

Task<PlayedArms> masked_again(Party& party, MaskedBits bits) {
  PlayedArms played{std::move(bits), std::nullopt};
  if (!selects(party)) played.words = co_await mask(party, shares_of(party, played.bits), "played arms again");
  co_return played;
}

Arith agreements(Party& party, const PlayedArms& played, const Masked& best) {
  const Shape row{1, best.lanes()};
  const Shape column{best.lanes(), 1};
  if (played.words) return matmul(party, played.words->reshaped(row), best.reshaped(column));
  MaskedBits o = played.bits;
  o.shape = row;
  return select(party, MatMul(row, column), o, best.reshaped(column));
}

void require_played(const Party& party, const Public& excess) {
  excess.if_known([&](const Words& words) {
    if (words.front() == 0) return;
    throw ProtocolError(ProtocolError::Kind::malformed, party.topology().name(actor_of(party.topology())), 0,
                        "the arms that the actor brings are no one-hots: the batch counts nothing; the actor is "
                        "another program than this, or one that cheats");
  });
}

}  // namespace

Task<AgreementOf> agree(Party& party, const BatchPlan& plan, Arith weights, PlayedEvents events) {
  const NodeId actor = actor_of(party.topology());
  const std::size_t arms = plan.parameters.arms;
  const Shape shape{events.events, arms};

  // Round 1.
  Input brought = input_at(party, actor, Shape{arms + 1, events.events}, 0, events.played);
  Arith to_show = shares_from(party, Shape{1, 1}, 0, [&](std::span<std::uint64_t> out) { out[0] = events.shown; });
  auto [x, w, o, shown] = co_await when_all(
      share_contexts(party, plan, events.events, std::move(events.contexts)),
      mask(party, std::move(weights), "w again"), share_bits(party, actor, std::move(brought), "played arms"),
      open_to(party, actor, std::move(to_show), "agreement to actor", std::move(events.sent)));

  // Round 2. The parties draw the coins only after the actor's bits are fixed.
  Arith dots = matmul(party, x, transposed(w));
  Arith coins = shares_from(party, Shape{1, 2}, 0, events.coins);
  auto [scores, drawn, played] =
      co_await when_all(mask(party, std::move(dots), "scores"), open(party, std::move(coins), "coins"),
                        masked_again(party, first_rows(o, arms)));

  // Rounds 3, 4.
  const ScoreWidths widths{scores.scale() - compared_bits, plan.comparison_bits};
  Samples ranks = draw_samples(party, shape.rows, shape.columns, Exploration{});
  auto [best, excess] = co_await when_all(
      winners(party, std::move(scores), std::move(events.allowed), std::move(ranks), widths, 64),
      open(party, one_hot_excess(party, o, OneHots::columns, drawn, "played arms"), "check of one-hots"));
  require_played(party, excess);

  // Round 5.
  const Masked b = co_await mask(party, std::move(best), "best arms");
  Arith agreed = agreements(party, played, transposed(b));
  co_return AgreementOf{std::move(agreed), std::move(shown)};
}

}  // namespace sotto::apps::bandit
