#include "apps/bandit/model/evaluate/private_evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "apps/bandit/model/batch/decide.h"
#include "apps/bandit/model/batch/private_batches.h"
#include "apps/bandit/model/parameters.h"
#include "apps/bandit/model/phases.h"
#include "core/text/count.h"
#include "sotto/protocol/arithmetic/mask_trunc.h"
#include "sotto/protocol/arithmetic/product.h"
#include "sotto/protocol/async/when_all.h"
#include "sotto/protocol/compare/argmax.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/io/mask.h"
#include "sotto/protocol/io/open.h"
#include "sotto/protocol/ring/fixed_point.h"
#include "sotto/protocol/sharing/rearrange.h"

namespace sotto::apps::bandit {
namespace {

using namespace protocols;

// Sums over events, in shares; in the order in which they are opened.
struct SharedSums {
  Arith y, w;
  Arith yy, yw, ww;
  Arith d, dd;
  Arith arms, arm_squares;

  static constexpr std::size_t count = 9;
  void for_each(auto&& take) {
    for (Arith* sum : {&y, &w, &yy, &yw, &ww, &d, &dd, &arms, &arm_squares}) take(*sum);
  }
  SharedSums& operator+=(SharedSums& other) {
    PoolVector<Arith*> others;
    other.for_each([&](Arith& sum) { others.push_back(&sum); });
    std::size_t next = 0;
    for_each([&](Arith& sum) { sum += *others[next++]; });
    return *this;
  }
};

// The events of a batch as the actor brings them, an event a row.
struct WeighedEvents {
  Input weights, gains;
};

WeighedEvents weighed(const Party& party, const EvaluationPlan& plan, Shape shape, BanditSite& site,
                      EventRange events) {
  const NodeId actor = actor_of(party.topology());
  std::vector<std::uint64_t> gains;
  const auto fill = [&](std::span<std::uint64_t> weights) {
    std::fill(weights.begin(), weights.end(), 0);
    gains.assign(weights.size(), 0);
    for (std::size_t e = 0; e < events.count; ++e) {
      const std::size_t row = e * shape.columns;
      site.arms().logged_weight(events.first + e, weights.subspan(row, shape.columns),
                                std::span(gains).subspan(row, shape.columns));
    }
  };
  const auto copy = [&](std::span<std::uint64_t> out) { std::copy(gains.begin(), gains.end(), out.begin()); };
  Input of_weights = input_at(party, actor, shape, plan.weight_bits, fill);
  Input of_gains = input_at(party, actor, shape, plan.weight_bits, copy);
  return WeighedEvents{std::move(of_weights), std::move(of_gains)};
}

// Round 3: d_b = s_b (1 - v_b) + u_b of every arm.
Task<Masked> robust_terms(Party& party, const EvaluationPlan& plan, const Masked& estimates, const Masked& v,
                          const Masked& u) {
  const Masked rest = (-v).plus(std::uint64_t{1} << v.scale());
  PendingProduct terms = pending_product<Elementwise>(party, estimates, rest);
  const unsigned more = estimates.scale();
  terms = plus_multiple(party, std::move(terms), u, std::uint64_t{1} << more, more);
  const unsigned cut = terms.scale() - plan.gain_bits;
  co_return co_await mask_trunc(party, std::move(terms), cut, "robust terms");
}

Arith dot(Party& party, const Masked& x, const Masked& y) {
  return matmul(party, x.reshaped(Shape{1, x.lanes()}), y.reshaped(Shape{y.lanes(), 1}));
}

Task<SharedSums> sums_of(Party& party, const BatchPlan& batches, const EvaluationPlan& plan, const Masked& weights,
                         BanditSite& site, Turns& turns, EventRange events) {
  const NodeId actor = actor_of(party.topology());
  const Shape shape{events.count, batches.parameters.arms};

  // 1. What everybody brings.
  WeighedEvents brought = weighed(party, plan, shape, site, events);
  Arith weights_again = weights.shares(party);
  auto [x, model, v, u] = co_await when_all(share_contexts(party, batches, events.count, turns.contexts(events)),
                                            mask(party, std::move(weights_again), "w again"),
                                            share_input(party, actor, std::move(brought.weights), "weights of events"),
                                            share_input(party, actor, std::move(brought.gains), "weighed rewards"));

  // 2. s_a = w_a . x, once to be compared and once to be calculated with.
  Arith dots = matmul(party, x, transposed(model));
  const unsigned cut = dots.scale() - plan.estimate_bits;
  Arith dots_again = dots;
  auto [scores, estimates] = co_await when_all(mask(party, std::move(dots), "scores"),
                                               mask_trunc(party, std::move(dots_again), cut, "estimates"));

  // 3 and 4. The best arm of each event; what is robust of every arm.
  const ScoreWidths widths{scores.scale() - compared_bits, batches.comparison_bits};
  Samples ranks = draw_samples(party, shape.rows, shape.columns, Exploration{});
  auto [best, terms] = co_await when_all(winners(party, std::move(scores), AllowedArms{}, std::move(ranks), widths, 64),
                                         robust_terms(party, plan, estimates, v, u));

  // 5 and 6. The terms of the best arm.
  const Masked o = co_await mask(party, std::move(best), "best arms");
  Arith best_y = row_dot(party, o, u);
  Arith best_w = row_dot(party, o, v);
  Arith best_d = row_dot(party, o, terms);
  auto [y, w, d] = co_await when_all(mask(party, std::move(best_y), "y"), mask(party, std::move(best_w), "w"),
                                     mask(party, std::move(best_d), "d"));
  const Masked columns = transposed(terms);
  const Shape row{1, shape.columns};
  SharedSums sums;
  sums.y = column_sums(y.shares(party));
  sums.w = column_sums(w.shares(party));
  sums.yy = dot(party, y, y);
  sums.yw = dot(party, y, w);
  sums.ww = dot(party, w, w);
  sums.d = column_sums(d.shares(party));
  sums.dd = dot(party, d, d);
  sums.arms = column_sums(terms.shares(party));
  sums.arm_squares = row_dot(party, columns, columns).reshaped(row);
  co_return sums;
}

// 1 round.
Task<void> show(Party& party, const EvaluationPlan& plan, SharedSums sums, BanditSite& site) {
  const NodeId actor = actor_of(party.topology());
  PoolVector<Task<Public>> openings;
  sums.for_each([&](Arith& sum) { openings.push_back(open_to(party, actor, std::move(sum), "sums to actor")); });
  const PoolVector<Public> shown = co_await when_all(std::move(openings));
  std::vector<std::vector<double>> numbers;
  for (const Public& sum : shown) {
    sum.if_known([&](const Words& words) {
      std::vector<double>& decoded = numbers.emplace_back();
      for (const std::uint64_t word : words) decoded.push_back(decode(word, sum.scale()));
    });
  }
  if (numbers.size() != SharedSums::count) co_return;  // at every role but the actor
  OpenedSums opened;
  opened.events = plan.evaluated;
  std::size_t next = 0;
  for (double* number : {&opened.y, &opened.w, &opened.yy, &opened.yw, &opened.ww, &opened.d, &opened.dd}) {
    *number = numbers[next++].front();
  }
  opened.arms = std::move(numbers[next++]);
  opened.arm_squares = std::move(numbers[next++]);
  site.arms().evaluated(opened);
}

constexpr int widest_sum = 62;
constexpr int least_weight_bits = 4;

// Of terms up to `bound`, so that the sum of the squares of N of them fits.
int bits_of_squares(double events, double bound) {
  return whole_bits((widest_sum - std::log2(events) - 2 * std::log2(bound + 1)) / 2);
}

void check_counts(const BanditParameters& p) {
  const std::uint64_t events = p.held_out.events;
  if (events < least_evaluated) {
    throw InputError(
        fmt::format("--held-out: {} of the log are evaluated, and sums over fewer than {} are not shown; "
                    "hold out more, or bring a longer log",
                    counted(events, "event"), least_evaluated));
  }
  if (events >= p.steps && p.events_before == 0) {
    throw InputError(
        "--held-out: the whole log is held out, and there is no model that learned before: hold out less, "
        "or begin --from a model");
  }
}

}  // namespace

Task<BanditModel> private_evaluation(Party& party, const BatchPlan& batches, const EvaluationPlan& plan,
                                     BanditSite& site) {
  BatchModel model = co_await model_at_start(party, batches, site, BanditSchedule{});
  Turns turns(batches, site);
  for (BatchSchedule order = BatchSchedule::even(plan.learned, batches.batch); !order.done();) {
    const BatchTurn turn = order.next();
    if (!turn.learns) {
      turns.begin(turn.events);
      continue;
    }
    party.enter_phase(learn_phase);
    model = co_await learn(party, batches, std::move(model), turns.lessons(turn.events));
    turns.end(turn.events);
  }
  std::optional<SharedSums> sums;
  const std::uint64_t end = plan.learned + plan.evaluated;
  for (std::uint64_t first = plan.learned; first < end; first += plan.batch) {
    const EventRange events{first, static_cast<std::size_t>(std::min<std::uint64_t>(plan.batch, end - first))};
    party.enter_phase(evaluate_phase);
    turns.begin(events);
    SharedSums more = co_await sums_of(party, batches, plan, model.weights, site, turns, events);
    if (sums) {
      *sums += more;
    } else {
      sums = std::move(more);
    }
    turns.end(events);
  }
  party.enter_phase(sums_phase);
  co_await show(party, plan, std::move(*sums), site);
  if (!batches.parameters.reveal_model) co_return BanditModel{};
  party.enter_phase(reveal_phase);
  co_return co_await revealed(party, model);
}

EvaluationPlan plan_evaluation(const BatchPlan& batches) {
  const BanditParameters& p = batches.parameters;
  check_counts(p);
  const RunBounds bounds = bounds_of(p);
  const auto events = static_cast<double>(p.held_out.events);
  const double V = p.held_out.largest_weight;
  const double S = .55 * bounds.norm * std::sqrt(bounds.steps) + 1;
  const double G = S * (1 + V) + V;
  const int Fu = std::min(16, bits_of_squares(events, V));
  const int scores = static_cast<int>(batches.context_bits + batches.weight_bits);
  const int Fs = std::min({16, scores - 1, whole_bits(61 - std::log2(G)) - Fu});
  const int Fd = std::min({16, Fs + Fu - 1, bits_of_squares(events, G)});
  if (Fu < least_weight_bits || Fs < 1 || Fd < 1 || scores + std::log2(S) > 61) {
    throw InputError(
        fmt::format("--least-propensity: with weights up to {:g}, sums over {} would leave the ring; raise "
                    "it, or evaluate fewer events",
                    V, counted(p.held_out.events, "event")));
  }
  EvaluationPlan plan{};
  plan.learned = p.steps - p.held_out.events;
  plan.evaluated = p.held_out.events;
  plan.largest_weight = V;
  plan.weight_bits = static_cast<unsigned>(Fu);
  plan.estimate_bits = static_cast<unsigned>(Fs);
  plan.gain_bits = static_cast<unsigned>(Fd);
  plan.batch = static_cast<std::size_t>(std::min<std::uint64_t>(EvaluationPlan::most_at_once, plan.evaluated));
  return plan;
}

}  // namespace sotto::apps::bandit
