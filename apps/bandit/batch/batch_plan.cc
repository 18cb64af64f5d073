#include "sotto/apps/bandit/batch/batch_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "sotto/apps/kit/data/contexts.h"
#include "sotto/core/error/errors.h"

namespace sotto::apps {
namespace {

constexpr double norm_excess = 1 + 3 * norm_slack;  // a row may be longer than its bound (parameters.cc)
constexpr int widest = 20;                          // fraction bits where the ring has room for more
constexpr int most_inverse_bits = 40;
constexpr int most_reward_bits = 16;
constexpr unsigned most_table_bits = 14;
constexpr double tolerated_rounding = .05;
constexpr double table_offset = 1.0 / 32;  // what is added to t so that its rounding does not make it negative
constexpr double trace_slack = 1.0625;     // 1 + d, generously: t is at most B R^2 (1 + d)

int down(double value) { return static_cast<int>(std::floor(value)); }

double norm_of(double max_norm) { return std::max(1.0, max_norm) * norm_excess; }

unsigned table_bits_of(double batch, double norm) {
  const double cells = (batch * norm * norm * trace_slack + table_offset) * (1 << BatchPlan::cell_bits) + 2;
  return static_cast<unsigned>(std::ceil(std::log2(cells)));
}

double power(int bits) { return std::ldexp(1.0, -bits); }

void require_batch(const BanditParameters& p, std::size_t batch) {
  if (batch >= 1 && batch <= largest_event_batch(p.max_norm)) return;
  throw InputError(
      fmt::format("--batch {}: with --max-norm {:g} a batch has 1 to {} events; use a smaller batch, or "
                  "scale the features to a smaller norm",
                  batch, p.max_norm, largest_event_batch(p.max_norm)));
}

}  // namespace

std::size_t largest_event_batch(double max_norm) {
  std::size_t batch = 1;
  while (table_bits_of(static_cast<double>(batch + 1), norm_of(max_norm)) <= most_table_bits) ++batch;
  return batch;
}

BatchPlan plan_batches(BanditParameters parameters, std::size_t batch, bool may_skip) {
  require_sane(parameters);
  require_batch(parameters, batch);
  const double T = static_cast<double>(parameters.steps);
  const double D = static_cast<double>(parameters.features());
  const double R = norm_of(parameters.max_norm);
  const double BR2 = static_cast<double>(batch) * R * R;
  const double n = 1 + T * R * R;
  const double log_n = std::log2(n);
  const double log_w = std::log2(std::sqrt(T) / 2 + 1);  // |w| <= sqrt(T) / 2

  const int Fx = std::min(static_cast<int>(parameters.fraction_bits), std::min(widest, down((62 - log_n) / 2)));
  const int both = down(61 - log_n / 2);
  int FW = std::min(most_inverse_bits, static_cast<int>(std::ceil((both + log_n) / 2)));
  while (FW < most_inverse_bits && 2 * D * n * power(FW) * (1 + .6 * BR2) > 1) ++FW;
  const int FA = std::min(both - FW, 2 * Fx - 1);
  const int FP = 60 - FW;
  const int Fw = std::min(widest, down(60 - log_n - FA));
  const int Fr = std::min({most_reward_bits, FA + Fw - Fx, down(62 - Fx - std::log2(R * T))});
  const int Fe = std::min(widest, down(61 - FW - log_w));
  const int FS = std::min({widest, 2 * Fx - 1, down(61 - FW - std::log2(BR2 + 2))});
  const double d = D * (n * power(FW) + std::sqrt(n) * power(FP) + power(FA));
  const bool fits = FA >= 1 && Fw >= 12 && Fe >= 1 && FS >= 1 && Fr >= 0 && Fw + Fx + log_w + 1 <= 62 &&
                    2 * D * n * power(FW) * (1 + .6 * BR2) <= 1;
  if (!fits || d > tolerated_rounding) {
    throw InputError(
        fmt::format("--steps {} with {} features, --max-norm {:g} and --batch {}: rounding would spoil the inverse "
                    "matrices; use a smaller batch, fewer events, fewer features or a smaller norm",
                    parameters.steps, parameters.features(), parameters.max_norm, batch));
  }

  BatchPlan plan{};
  plan.batch = batch;
  plan.may_skip = may_skip;
  plan.context_bits = static_cast<unsigned>(Fx);
  plan.inverse_bits = static_cast<unsigned>(FW);
  plan.gram_bits = static_cast<unsigned>(FA);
  plan.residual_bits = static_cast<unsigned>(FP);
  plan.weight_bits = static_cast<unsigned>(Fw);
  plan.reward_bits = parameters.binary_rewards ? 0 : static_cast<unsigned>(Fr);
  plan.correction_bits = static_cast<unsigned>(Fe);
  plan.target_bits = std::min(plan.correction_bits, plan.context_bits + plan.reward_bits);
  plan.sum_bits = static_cast<unsigned>(FS);
  plan.comparison_bits =
      BatchPlan::compared_bits + 1 + static_cast<unsigned>(std::ceil(std::log2(1.1 * R * std::sqrt(T / 2) + 1)));
  plan.table_bits = table_bits_of(static_cast<double>(batch), R);
  plan.rounding = d;
  plan.parameters = std::move(parameters);
  return plan;
}

BatchSchedule::BatchSchedule(std::uint64_t events, std::size_t batch, std::uint64_t lag, std::uint64_t from)
    : events_(events), batch_(batch), lag_(lag), first_size_(batch), decided_(from), learned_(from) {
  if (from > events) throw std::invalid_argument("the run has no such event to start from");
}

BatchSchedule::BatchSchedule(const BanditParameters& p, std::uint64_t from)
    : BatchSchedule(p.steps, p.batch, p.reward_lag, from) {
  const bool warms_up = p.batch > 40 * p.arms || p.reward_lag > 40 * p.arms - p.batch;
  if (warms_up) first_size_ = std::min(p.batch, std::bit_floor(8 * p.arms));
}

BatchSchedule BatchSchedule::even(std::uint64_t events, std::size_t batch, std::uint64_t from) {
  return BatchSchedule(events, batch, 0, from);
}

std::uint64_t most_begun_between_checkpoints(std::uint64_t every, std::size_t batch, std::uint64_t lag) {
  constexpr std::uint64_t beyond_any_run = std::uint64_t{1} << 60;  // so that no sum wraps
  const std::uint64_t ahead = batch > 1 || lag > 0 ? 2 * (batch - 1) + std::min(lag, beyond_any_run) : 0;
  return std::min(every, beyond_any_run) + ahead;
}

std::size_t BatchSchedule::size_at(std::uint64_t first) const {
  std::size_t size = first_size_;
  while (size < batch_ && 2 * size <= first / 2) size *= 2;
  return static_cast<std::size_t>(std::min<std::uint64_t>(std::min(size, batch_), events_ - first));
}

BatchTurn BatchSchedule::next() {
  if (!pending_.empty()) {
    const EventRange oldest = pending_.front();
    const bool rewarded = lag_ <= decided_ - (oldest.first + oldest.count);
    if (rewarded || decided_ == events_) {
      pending_.pop_front();
      learned_ += oldest.count;
      return BatchTurn{true, oldest};
    }
  }
  const EventRange events{decided_, size_at(decided_)};
  decided_ += events.count;
  pending_.push_back(events);
  return BatchTurn{false, events};
}

}  // namespace sotto::apps
