// Unbiased offline evaluation of a bandit policy from a log (Li, Chu, Langford and Schapire 2010, "A contextual-bandit
// approach to personalized news article recommendation", algorithm 3).
//
// The log is a stream of (context, arm, reward), where the arm was drawn uniformly, without looking at the context. The
// policy chooses for every event; where it agrees with the log, the event is kept: its reward counts and the policy
// learns from it. Where not, the policy never hears of it. The kept events are distributed as if the policy had met
// them live (theorem 1), so the mean reward of n kept events is an unbiased estimate of what the policy earns on
// average in n steps. A log whose arms depend on the context gives a biased estimate: of such logs only comparisons
// between policies mean anything, and even they with care.
//
// Policies draw by the step: `step` is the number of events kept so far, so that a policy whose coins are streams
// indexed by step makes the choice that it would make live at that step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace sotto::apps {

struct ReplayPoint {
  std::uint64_t events = 0;  // of the log, so far
  std::uint64_t kept = 0;
  double reward = 0;  // mean of the kept ones
};

// The sums of one policy.
class ReplayEstimate {
 public:
  // Notes one event; true if it is kept, so that the policy may learn from it. A reward that is not finite is
  // InputError.
  bool offer(std::size_t chosen, std::size_t logged, double reward);

  [[nodiscard]] std::uint64_t events() const { return events_; }
  [[nodiscard]] std::uint64_t kept() const { return kept_; }
  // Mean reward of the kept events; nothing where there are none.
  [[nodiscard]] std::optional<double> value() const;

  // Adds where the estimate stands to the curve, if an event was kept.
  void mark();
  [[nodiscard]] const std::vector<ReplayPoint>& curve() const { return curve_; }

 private:
  std::uint64_t events_ = 0;
  std::uint64_t kept_ = 0;
  double mean_ = 0;
  std::vector<ReplayPoint> curve_;
};

}  // namespace sotto::apps
