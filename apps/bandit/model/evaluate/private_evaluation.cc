#include "apps/bandit/model/evaluate/private_evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "apps/bandit/model/batch/decide.h"
#include "apps/bandit/model/batch/noised_sums.h"
#include "apps/bandit/model/batch/private_batches.h"
#include "apps/bandit/model/batch/solve.h"
#include "apps/bandit/model/batch/sums.h"
#include "apps/bandit/model/parameters.h"
#include "apps/bandit/model/phases.h"
#include "core/text/count.h"
#include "sotto/protocol/arithmetic/one_hots.h"
#include "sotto/protocol/arithmetic/product.h"
#include "sotto/protocol/arithmetic/selection.h"
#include "sotto/protocol/async/when_all.h"
#include "sotto/protocol/boolean/bits.h"
#include "sotto/protocol/compare/argmax.h"
#include "sotto/protocol/compare/below_zero.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/io/checkpoint_shares.h"
#include "sotto/protocol/io/mask.h"
#include "sotto/protocol/io/open.h"
#include "sotto/protocol/ring/fixed_point.h"
#include "sotto/protocol/sharing/rearrange.h"

namespace sotto::apps::bandit {
namespace {

using namespace protocols;

constexpr unsigned compared_in_question = 63;

struct SharedCounts {
  Arith agreed;  // counts, C x 1
  Arith excess;  // 0 if the actor's bits are one-hots

  SharedCounts& operator+=(SharedCounts& other) {
    agreed += other.agreed;
    excess += other.excess;
    return *this;
  }
};

// An arm out of range becomes a row of zeros, and the check of the one-hots then refuses this row.
Input logged_arms(const Party& party, Shape shape, BanditSite& site, EventRange events) {
  return input_at(party, actor_of(party.topology()), shape, 0, [&](std::span<std::uint64_t> out) {
    std::fill(out.begin(), out.end(), 0);
    for (std::size_t e = 0; e < events.count; ++e) {
      const std::size_t arm = site.arms().logged_arm(events.first + e);
      if (arm < shape.columns) out[e * shape.columns + arm] = 1;
    }
  });
}

Input logged_cells(const Party& party, Shape shape, BanditSite& site, EventRange events) {
  return input_at(party, actor_of(party.topology()), shape, 0, [&](std::span<std::uint64_t> out) {
    std::fill(out.begin(), out.end(), 0);
    for (std::size_t e = 0; e < events.count; ++e) {
      const std::size_t cell = site.arms().logged_cell(events.first + e);
      if (cell < shape.rows) out[cell * shape.columns + e] = 1;
    }
  });
}

Task<SharedCounts> counts_of(Party& party, const BatchPlan& batches, const EvaluationPlan& plan, const Masked& weights,
                             BanditSite& site, Turns& turns, EventRange events) {
  const NodeId actor = actor_of(party.topology());
  const Shape shape{events.count, batches.parameters.arms};

  // Round 1.
  Input of_arms = logged_arms(party, shape, site, events);
  Input of_cells = logged_cells(party, Shape{plan.cells, events.count}, site, events);
  Arith weights_again = weights.shares(party);
  auto [x, model, arms, cells] = co_await when_all(share_contexts(party, batches, events.count, turns.contexts(events)),
                                                   mask(party, std::move(weights_again), "w again"),
                                                   share_bits(party, actor, std::move(of_arms), "logged arms"),
                                                   share_bits(party, actor, std::move(of_cells), "cells"));

  // Round 2. The parties draw the coins only after the actor's bits are fixed.
  const unsigned shift = x.scale() + model.scale() - compared_bits;
  const Masked by_arm = transposed(model);
  Arith dots = product(party, MatMul(x.shape(), by_arm.shape()), x, by_arm, shift + batches.comparison_bits);
  Arith coins =
      shares_from(party, Shape{1, 2}, 0, [&](std::span<std::uint64_t> out) { site.count_noise().draw_coins(out); });
  auto [scores, drawn] =
      co_await when_all(mask(party, std::move(dots), "scores"), open(party, std::move(coins), "coins"));

  // Rounds 3, 4.
  const ScoreWidths widths{shift, batches.comparison_bits};
  Samples ranks = draw_samples(party, shape.rows, shape.columns, Exploration{});
  const Arith best = co_await winners(party, std::move(scores), AllowedArms{}, std::move(ranks), widths, 1);

  // Rounds 5, 6.
  const Bool of_arm = co_await bit_and(party, lowest_bits(best), xor_shares_of(party, arms), "best arms");
  const MaskedBits m = co_await mask_bits(party, xor_of_rows(of_arm), "agreements");
  SharedCounts counts;
  counts.agreed = both(party, MatMul(cells.shape, m.shape), cells, m);
  counts.excess = one_hot_excess(party, arms, OneHots::rows, drawn, "arms");
  counts.excess += one_hot_excess(party, cells, OneHots::columns, drawn, "cells");
  co_return counts;
}

void require_one_hots(Party& party, std::uint64_t excess) {
  if (excess == 0) return;
  throw ProtocolError(ProtocolError::Kind::malformed, party.topology().name(actor_of(party.topology())),
                      party.rounds().round(),
                      "the actor's arms or cells are no one-hots: nothing was counted; its log comes from another "
                      "program than this, or from one that cheats");
}

// Owners see the result of the check too, so that they draw no noise before the check has passed.
Task<void> check_one_hots(Party& party, const FeatureHolders& holders, Arith excess) {
  PoolVector<Task<Public>> openings;
  for (std::size_t owner = 0; owner < holders.owners; ++owner) {
    openings.push_back(open_to(party, party.topology().owner(owner), excess, "check of one-hots"));
  }
  openings.push_back(open(party, std::move(excess), "check of one-hots"));
  const PoolVector<Public> opened = co_await when_all(std::move(openings));
  for (const Public& word : opened) {
    word.if_known([&](const Words& words) { require_one_hots(party, words.front()); });
  }
}

Task<void> show(Party& party, const EvaluationPlan& plan, Arith counts, BanditSite& site) {
  const Public shown = co_await open_to(party, actor_of(party.topology()), std::move(counts), "counts to actor");
  shown.if_known([&](const Words& words) {
    OpenedCounts opened;
    opened.events = plan.evaluated;
    for (const std::uint64_t word : words) opened.agreed.push_back(static_cast<std::int64_t>(word));
    site.arms().counts_shown(opened);
  });
}

Task<void> answer(Party& party, const EvaluationPlan& plan, Arith counts, BanditSite& site) {
  const NodeId actor = actor_of(party.topology());
  const unsigned bits = plan.question_bits();
  Input factors = input_at(party, actor, Shape{1, plan.cells}, bits, [&](std::span<std::uint64_t> out) {
    const CountQuestion question = site.arms().count_question();
    for (std::size_t cell = 0; cell < out.size(); ++cell) {
      out[cell] = cell < question.factors.size() ? encode(std::clamp(question.factors[cell], -1., 1.), bits) : 0;
    }
  });
  const double largest = 4 * static_cast<double>(plan.evaluated);
  Input threshold = input_at(party, actor, Shape{1, 1}, bits, [&](std::span<std::uint64_t> out) {
    out[0] = encode(std::clamp(site.arms().count_question().threshold, -largest, largest), bits);
  });
  auto [q, t, h] = co_await when_all(share_input(party, actor, std::move(factors), "factors of the question"),
                                     share_input(party, actor, std::move(threshold), "threshold of the question"),
                                     mask(party, std::move(counts), "counts"));
  Arith sum = matmul(party, q, h);
  Masked masked = co_await mask(party, std::move(sum), "sum of the question");
  Arith bit = co_await less_than(party, std::move(t), std::move(masked), compared_in_question, "question");
  const Public shown = co_await open_to(party, actor, std::move(bit), "answer to actor");
  shown.if_known([&](const Words& words) { site.arms().question_answered(words.front() == 1); });
}

void check_counts(const BanditParameters& p) {
  const std::uint64_t events = p.held_out.events;
  if (events < least_evaluated) {
    throw InputError(
        fmt::format("--held-out: {} of the log are evaluated, and counts over fewer than {} are not shown; "
                    "hold out more, or bring a longer log",
                    counted(events, "event"), least_evaluated));
  }
  if (events >= p.steps && p.events_before == 0) {
    throw InputError(
        "--held-out: the whole log is held out, and there is no model that learned before: hold out less, "
        "or begin --from a model");
  }
  if (p.held_out.cells < 2 || p.held_out.cells > most_cells) {
    throw InputError(fmt::format("--cells: from 2 to {}, not {}", most_cells, p.held_out.cells));
  }
}

Task<BatchModel> learned(Party& party, const BatchPlan& batches, const EvaluationPlan& plan, BatchModel before,
                         Turns& turns, BanditSite& site) {
  Sums sums{std::move(before.gram), std::move(before.targets)};
  for (BatchSchedule order = BatchSchedule::even(plan.learned, batches.batch); !order.done();) {
    const BatchTurn turn = order.next();
    if (!turn.learns) {
      turns.begin(turn.events);
      continue;
    }
    party.enter_phase(learn_phase);
    co_await sum_training(party, batches, sums, turns.lessons(turn.events));
    turns.end(turn.events);
  }
  party.enter_phase(solve_phase);
  if (!batches.parameters.learning_noise.empty()) sums = co_await noised(party, batches, std::move(sums), site);
  co_return co_await solve(party, batches, std::move(sums));
}

}  // namespace

Task<BanditModel> private_evaluation(Party& party, const BatchPlan& batches, const EvaluationPlan& plan,
                                     BanditSite& site) {
  BatchModel model = co_await model_at_start(party, batches, site, BanditSchedule{});
  Turns turns(batches, site);
  if (plan.learned > 0) model = co_await learned(party, batches, plan, std::move(model), turns, site);
  std::optional<SharedCounts> counts;
  const std::uint64_t end = plan.learned + plan.evaluated;
  for (std::uint64_t first = plan.learned; first < end; first += plan.batch) {
    const EventRange events{first, static_cast<std::size_t>(std::min<std::uint64_t>(plan.batch, end - first))};
    party.enter_phase(evaluate_phase);
    turns.begin(events);
    SharedCounts more = co_await counts_of(party, batches, plan, model.weights, site, turns, events);
    if (counts) {
      *counts += more;
    } else {
      counts = std::move(more);
    }
    turns.end(events);
  }
  party.enter_phase(counts_phase);
  co_await check_one_hots(party, batches.parameters.holders(), std::move(counts->excess));
  const auto draw = [&](std::span<std::uint64_t> out) { site.count_noise().draw_noise(out); };
  Arith noised_counts =
      co_await noise_of_holders(party, batches.parameters.holders(), Shape{plan.cells, 1}, 0, draw, "noise");
  noised_counts += counts->agreed;
  if (plan.in_one_bit) {
    co_await answer(party, plan, std::move(noised_counts), site);
  } else {
    co_await show(party, plan, std::move(noised_counts), site);
  }
  if (!batches.parameters.reveal_model) co_return BanditModel{};
  party.enter_phase(reveal_phase);
  co_return co_await revealed(party, model);
}

EvaluationPlan plan_evaluation(const BatchPlan& batches) {
  const BanditParameters& p = batches.parameters;
  check_counts(p);
  EvaluationPlan plan{};
  plan.learned = p.steps - p.held_out.events;
  plan.evaluated = p.held_out.events;
  plan.cells = p.held_out.cells;
  plan.in_one_bit = p.held_out.in_one_bit;
  plan.batch = static_cast<std::size_t>(std::min<std::uint64_t>(EvaluationPlan::most_at_once, plan.evaluated));
  return plan;
}

}  // namespace sotto::apps::bandit
