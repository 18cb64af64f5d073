#include "apps/bandit/link_model.h"

#include <algorithm>
#include <random>
#include <vector>

namespace sotto::apps {
namespace {

constexpr int steps_of_a_trial = 2000;

double seconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

// What one step takes on average, over many.
double step_seconds(const StepFrames& frames, const net::LinkConditions& conditions,
                    std::span<const double> arithmetic) {
  const double delay = seconds(conditions.delay);
  const double jitter = seconds(conditions.jitter);
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
          const double late =
              jitter > 0 ? jitter * static_cast<double>(random() >> 11) * 0x1p-53 : 0;
          next[to] = std::max(next[to],
                              now[from] + delay + late + seconds(transfer_time(conditions, bytes)));
        }
        if (!arithmetic.empty()) next[to] += arithmetic[to];
      }
      now.swap(next);
    }
  }
  return *std::max_element(now.begin(), now.end()) / steps_of_a_trial;
}

}  // namespace

LinkModel model_step(const StepFrames& frames, const net::LinkConditions& conditions,
                     std::span<const double> arithmetic) {
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

}  // namespace sotto::apps
