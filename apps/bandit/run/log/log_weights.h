// The weight of each event of a log in an evaluation: one over the probability with which the arm of the event was
// played.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "apps/bandit/run/log/event_log.h"

namespace sotto::apps::bandit::run {

// The settings of a run about the propensities of its log.

// The source of propensities: the log's column, or each arm's share of the events. Shares are right only if arms were
// played at random and independently of the context.
enum class Propensities : std::uint8_t { logged, frequencies };

struct WeightRule {
  Propensities propensities = Propensities::logged;
  double least_propensity = .01;
  bool clips = false;            // true: least_propensity replaces smaller propensities; false: they are refused
  std::size_t arms_offered = 0;  // number of arms from which each event had a choice; 0: all arms that were played
  bool full_support = false;     // whether the log's owner states that each arm had a chance in each event
};

struct LogWeights {
  std::vector<double> weights;  // one per event, at most 1 / least_propensity
  std::uint64_t clipped = 0;    // number of held-out events whose weight was cut
  bool full_support = false;    // whether the log shows, or its owner states, that each arm had a chance in each event
};

// The weights of the run's events, in the order in which the run uses them: event t is row rows[t] of the log. The
// events from `first_held_out` on are evaluated. Throws InputError if the rule requires propensities and the log has
// none. Throws InputError, naming the line, if an evaluated event has a propensity that is too small.
[[nodiscard]] LogWeights log_weights(const EventLog& log, const std::vector<std::uint64_t>& rows,
                                     std::uint64_t first_held_out, const WeightRule& rule);

// The order in which a run uses the first `steps` rows of a log. The run evaluates `held_out` of these rows: the last
// rows, or with `mixed` rows from the whole log, which a public hash of the row number selects. The learned rows come
// first and then the evaluated rows, and both are in the order of their row numbers.
[[nodiscard]] std::vector<std::uint64_t> rows_in_turn(std::uint64_t steps, std::uint64_t held_out, bool mixed);

// The facts that a log by itself shows about its propensities, before anything is evaluated.
//
// The mean of 1 / propensity is the mean number of arms that had a chance in an event. So this mean cannot be above the
// number of arms. If the mean equals the number of arms, every arm had a chance in every event. If all events have the
// same propensity, arms were drawn uniformly, and that propensity is 1 or one over the number of arms.
//
// Propensities are refused if the error of the mean of 1 / propensity is larger than chance or rounding can explain.
// Chance can explain an error of four standard errors, and arms that were not played because there are few events.
// Rounding can explain errors in the third decimal. Propensities that are wrong in other ways show only in mean weights
// (apps/bandit/run/log/estimates.h), if at all.

// Checks the propensities of the events from `first` on, which are rows rows[t] of the log. weights[t] is one over the
// propensity. Throws InputError if the propensities cannot be right. Returns true if the log shows that each arm had a
// chance in each event.
[[nodiscard]] bool check_propensities(const EventLog& log, const std::vector<std::uint64_t>& rows, std::uint64_t first,
                                      const std::vector<double>& weights, const WeightRule& rule);

// Whether the logged propensities of some events show that each arm had a chance in each of these events. Refuses
// nothing.
[[nodiscard]] bool shows_support(const EventLog& log, const std::vector<std::uint64_t>& rows, std::uint64_t first,
                                 const std::vector<double>& weights, const WeightRule& rule);

}  // namespace sotto::apps::bandit::run
