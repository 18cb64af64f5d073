#include "apps/bandit/run/result/link_model.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

namespace sotto::apps::bandit::run {
namespace {

constexpr int steps_of_a_trial = 2000;

double in_seconds(std::chrono::nanoseconds time) { return std::chrono::duration<double>(time).count(); }

// From when each node has all frames of a round to when it has done its own part.
void compute(const Arithmetic& arithmetic, std::vector<double>& times) {
  if (arithmetic.seconds.empty()) return;
  std::vector<std::size_t> order(times.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t one, std::size_t other) { return times[one] < times[other]; });
  std::vector<double> free_at(std::max<std::size_t>(arithmetic.cores, 1), 0.0);
  for (const std::size_t node : order) {
    double& core = *std::min_element(free_at.begin(), free_at.end());
    times[node] = std::max(times[node], core) + arithmetic.seconds[node];
    core = times[node];
  }
}

// What one step takes on average, over many.
double step_seconds(const StepFrames& frames, const net::LinkConditions& conditions, const Arithmetic& arithmetic) {
  const double delay = in_seconds(conditions.delay);
  const double jitter = in_seconds(conditions.jitter);
  std::mt19937_64 random(1);
  std::vector<double> now(frames.nodes, 0.0);
  std::vector<double> next = now;
  for (int step = 0; step < steps_of_a_trial; ++step) {
    for (std::size_t round = 0; round < frames.rounds.size(); ++round) {
      for (std::size_t to = 0; to < frames.nodes; ++to) {
        next[to] = now[to];
        for (std::size_t from = 0; from < frames.nodes; ++from) {
          const std::size_t bytes = frames.bytes(round, from, to);
          if (bytes == 0) continue;
          const double late = jitter > 0 ? jitter * static_cast<double>(random() >> 11) * 0x1p-53 : 0;
          next[to] = std::max(next[to], now[from] + delay + late + in_seconds(transfer_time(conditions, bytes)));
        }
      }
      compute(arithmetic, next);
      now.swap(next);
    }
  }
  return *std::max_element(now.begin(), now.end()) / (steps_of_a_trial * frames.steps);
}

}  // namespace

LinkModel& LinkModel::operator+=(const LinkModel& other) {
  delay += other.delay;
  transfer += other.transfer;
  jitter += other.jitter;
  arithmetic += other.arithmetic;
  return *this;
}

LinkModel model_step(const StepFrames& frames, const net::LinkConditions& conditions, const Arithmetic& arithmetic) {
  // Each part is what it adds to those before it.
  net::LinkConditions parts{conditions.delay, {}, 0};
  LinkModel model;
  model.delay = step_seconds(frames, parts, {});
  parts.bits_per_second = conditions.bits_per_second;
  const double with_rate = step_seconds(frames, parts, {});
  parts.jitter = conditions.jitter;
  const double with_jitter = step_seconds(frames, parts, {});
  model.transfer = with_rate - model.delay;
  model.jitter = with_jitter - with_rate;
  model.arithmetic = step_seconds(frames, parts, arithmetic) - with_jitter;
  return model;
}

LinkModel model_run(const BanditPlan& plan, const net::LinkConditions& conditions, const Arithmetic& arithmetic) {
  LinkModel model = model_step(step_frames(plan), conditions, arithmetic);
  const StepFrames refresh = refresh_frames(plan);
  if (!refresh.rounds.empty()) model += model_step(refresh, conditions, arithmetic);
  return model;
}

}  // namespace sotto::apps::bandit::run
