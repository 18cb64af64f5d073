#include "apps/bandit/model/evaluate/evaluation_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/bandit/model/widths.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::bandit {
namespace {

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
