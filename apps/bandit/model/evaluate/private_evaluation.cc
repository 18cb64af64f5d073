#include "apps/bandit/model/evaluate/private_evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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
  Arith agreed;                    // counts, C x 1; with bits b, of the events in which b is 1
  std::optional<Arith> otherwise;  // only with bits b: counts of the events in which b is 0
  Arith excess;                    // 0 if the actor's bits are one-hots

  SharedCounts& operator+=(SharedCounts& other) {
    agreed += other.agreed;
    if (otherwise) *otherwise += *other.otherwise;
    excess += other.excess;
    return *this;
  }
  // All counts as one column.
  [[nodiscard]] Arith all() const {
    if (!otherwise) return agreed;
    const Arith row = joined(std::array{agreed, *otherwise});
    return row.reshaped(Shape{row.lanes(), 1});
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

// The one-hots a of the logged arms in the events in which b is 1, and zeros in the others. The parties bring their
// shares of b, one for each arm, so that bit_and() masks each of them by itself.
Task<Bool> logged_best_arms(Party& party, const EvaluationPlan& plan, const MaskedBits& arms, BanditSite& site,
                            EventRange events) {
  if (!plan.by_best) co_return Bool();
  const std::size_t columns = arms.shape.columns;
  const Arith shares = shares_from(party, arms.shape, 0, [&](std::span<std::uint64_t> out) {
    for (std::size_t e = 0; e < events.count; ++e) {
      const std::uint64_t share = site.best_shares().best_share(events.first + e) ? 1 : 0;
      std::fill_n(out.begin() + static_cast<std::ptrdiff_t>(e * columns), columns, share);
    }
  });
  co_return co_await bit_and(party, xor_shares_of(party, arms), lowest_bits(shares), "logged best arms");
}

// Whether the model's arm is the logged arm, for each event: m, as XOR shares. With bits b, also m & b.
struct Agreements {
  Bool all;
  std::optional<Bool> best;
};

Task<Agreements> agreements_of(Party& party, const EvaluationPlan& plan, const Arith& models, Bool logged,
                               Bool logged_best) {
  if (!plan.by_best) {
    const Bool of_arm = co_await bit_and(party, lowest_bits(models), std::move(logged), "best arms");
    co_return Agreements{xor_of_rows(of_arm), std::nullopt};
  }
  auto [of_arm, of_best] =
      co_await when_all(bit_and(party, lowest_bits(models), std::move(logged), "best arms"),
                        bit_and(party, lowest_bits(models), std::move(logged_best), "best arms that were logged"));
  co_return Agreements{xor_of_rows(of_arm), xor_of_rows(of_best)};
}

Task<void> add_agreements(Party& party, const MaskedBits& cells, Agreements agreements, SharedCounts& counts) {
  if (!agreements.best) {
    const MaskedBits m = co_await mask_bits(party, std::move(agreements.all), "agreements");
    counts.agreed = both(party, MatMul(cells.shape, m.shape), cells, m);
    co_return;
  }
  Bool rest = agreements.all ^ *agreements.best;
  auto [best, otherwise] = co_await when_all(mask_bits(party, *std::move(agreements.best), "agreements with best arms"),
                                             mask_bits(party, std::move(rest), "agreements with other arms"));
  counts.agreed = both(party, MatMul(cells.shape, best.shape), cells, best);
  counts.otherwise = both(party, MatMul(cells.shape, otherwise.shape), cells, otherwise);
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
  auto [scores, drawn, logged_best] =
      co_await when_all(mask(party, std::move(dots), "scores"), open(party, std::move(coins), "coins"),
                        logged_best_arms(party, plan, arms, site, events));

  // Rounds 3, 4.
  const ScoreWidths widths{shift, batches.comparison_bits};
  Samples ranks = draw_samples(party, shape.rows, shape.columns, Exploration{});
  const Arith best = co_await winners(party, std::move(scores), AllowedArms{}, std::move(ranks), widths, 1);

  // Rounds 5, 6.
  Agreements agreements = co_await agreements_of(party, plan, best, xor_shares_of(party, arms), std::move(logged_best));
  SharedCounts counts;
  co_await add_agreements(party, cells, std::move(agreements), counts);
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
    for (std::size_t count = 0; count < words.size(); ++count) {
      std::vector<std::int64_t>& counts = count < plan.cells ? opened.agreed : opened.otherwise;
      counts.push_back(static_cast<std::int64_t>(words[count]));
    }
    site.arms().counts_shown(opened);
  });
}

Task<void> answer(Party& party, const EvaluationPlan& plan, Arith counts, BanditSite& site) {
  const NodeId actor = actor_of(party.topology());
  const unsigned bits = plan.question_bits();
  Input factors = input_at(party, actor, Shape{1, plan.counts()}, bits, [&](std::span<std::uint64_t> out) {
    const CountQuestion question = site.arms().count_question();
    const auto word = [&](const std::vector<double>& of, std::size_t cell) {
      return cell < of.size() ? encode(std::clamp(of[cell], -1., 1.), bits) : 0;
    };
    for (std::size_t count = 0; count < out.size(); ++count) {
      out[count] =
          count < plan.cells ? word(question.factors, count) : word(question.factors_otherwise, count - plan.cells);
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
  const std::size_t most = p.held_out.by_best ? most_cells / 2 : most_cells;
  if (p.held_out.cells < 2 || p.held_out.cells > most) {
    throw InputError(fmt::format("--cells: from 2 to {}, not {}{}", most, p.held_out.cells,
                                 p.held_out.by_best ? ", since the parties' bits split each cell in two" : ""));
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
      co_await noise_of_holders(party, batches.parameters.holders(), Shape{plan.counts(), 1}, 0, draw, "noise");
  noised_counts += counts->all();
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
  plan.by_best = p.held_out.by_best;
  plan.batch = static_cast<std::size_t>(std::min<std::uint64_t>(EvaluationPlan::most_at_once, plan.evaluated));
  return plan;
}

}  // namespace sotto::apps::bandit
