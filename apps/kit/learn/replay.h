// Unbiased offline evaluation of a bandit policy from a log (Li, Chu, Langford and Schapire 2010, "A contextual-bandit
// approach to personalized news article recommendation", algorithm 3).
//
// The log is a stream of (context, arm, reward), where the arm was drawn uniformly and independently of the context. If
// the policy chooses the arm of the log, the event is kept: its reward enters the estimate, and the policy learns from
// it. Otherwise the policy learns nothing about the event. The kept events are distributed as if the policy had played
// them live (theorem 1). The mean reward of n kept events is therefore an unbiased estimate of the policy's average
// reward in n steps. A log whose arms depend on the context gives a biased estimate.
//
// A policy draws its random numbers by `step`, which is the number of kept events so far, so it chooses the same arms
// as in live play.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace sotto::apps {

struct ReplayPoint {
  std::uint64_t events = 0;
  std::uint64_t kept = 0;
  double reward = 0;
};

class ReplayEstimate {
 public:
  // Returns true if the event is kept. Throws InputError if the reward is not finite.
  bool offer(std::size_t chosen, std::size_t logged, double reward);

  [[nodiscard]] std::uint64_t events() const { return events_; }
  [[nodiscard]] std::uint64_t kept() const { return kept_; }
  [[nodiscard]] std::optional<double> value() const;

  void mark();
  [[nodiscard]] const std::vector<ReplayPoint>& curve() const { return curve_; }

 private:
  std::uint64_t events_ = 0;
  std::uint64_t kept_ = 0;
  double mean_ = 0;
  std::vector<ReplayPoint> curve_;
};

}  // namespace sotto::apps
