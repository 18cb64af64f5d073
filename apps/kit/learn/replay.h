// Unbiased offline evaluation of a bandit policy from a log (Li, Chu, Langford and Schapire 2010, "A contextual-bandit
// approach to personalized news article recommendation", algorithm 3).
//
// The log is a stream of (context, arm, reward), where the arm was drawn uniformly and independently of the context.
// The policy chooses an arm for every event. If the choice agrees with the log, the event is kept: its reward enters
// the estimate, and the policy learns from the event. If the choice differs from the log, the policy receives nothing
// about the event. The kept events are distributed as if the policy had played them live (theorem 1). The mean reward
// of n kept events is therefore an unbiased estimate of the policy's average earnings in n steps. A log whose arms
// depend on the context gives a biased estimate. With a biased estimate, only comparisons between policies are
// meaningful, and such comparisons need care.
//
// A policy draws its random numbers by `step`, which is the number of events that were kept so far. A policy whose
// random streams are indexed by step therefore makes the same choice as it would make live at that step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace sotto::apps {

struct ReplayPoint {
  std::uint64_t events = 0;  // number of events of the log so far
  std::uint64_t kept = 0;
  double reward = 0;  // mean reward of the kept events
};

// The estimate for one policy.
class ReplayEstimate {
 public:
  // Records one event. Returns true if the event is kept, so that the policy may learn from the event. Throws
  // InputError if the reward is not finite.
  bool offer(std::size_t chosen, std::size_t logged, double reward);

  [[nodiscard]] std::uint64_t events() const { return events_; }
  [[nodiscard]] std::uint64_t kept() const { return kept_; }
  // The mean reward of the kept events. Returns nothing if no event was kept.
  [[nodiscard]] std::optional<double> value() const;

  // If an event was kept, adds the present estimate to the curve.
  void mark();
  [[nodiscard]] const std::vector<ReplayPoint>& curve() const { return curve_; }

 private:
  std::uint64_t events_ = 0;
  std::uint64_t kept_ = 0;
  double mean_ = 0;
  std::vector<ReplayPoint> curve_;
};

}  // namespace sotto::apps
