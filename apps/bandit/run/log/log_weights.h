// The weight of each event of a log: 1 / the probability with which the arm of the event was played.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "apps/bandit/run/log/event_log.h"

namespace sotto::apps::bandit::run {

// The source of the propensities: a column of the log, or each arm's share of the events. Shares are right only if arms
// were played at random and independently of the context.
enum class Propensities : std::uint8_t { logged, frequencies };

struct WeightRule {
  Propensities propensities = Propensities::logged;
  double least_propensity = .01;
  bool clips = false;            // whether least_propensity replaces smaller propensities
  std::size_t arms_offered = 0;  // number of arms to choose from in an event; 0: all played arms
  bool full_support = false;
};

struct LogWeights {
  // The weight of each event, at most 1 / least_propensity. If probabilities depend on the best arm, this is the weight
  // of an event whose arm was the best.
  std::vector<double> weights;
  std::uint64_t clipped = 0;  // number of held-out events with clipped weights
  bool full_support = false;  // whether each arm had a chance in each event
  // Only if probabilities depend on the best arm: the weight of an event whose arm was not the best.
  std::vector<double> otherwise{};

  [[nodiscard]] bool by_best() const { return !otherwise.empty(); }
};

// Returns true if the weights depend on bits that only the parties have.
[[nodiscard]] bool needs_best_bits(const EventLog& log, const WeightRule& rule);
// Throws InputError if the weights need these bits and the parties have none, or the reverse.
void require_best_bits(const EventLog& log, const WeightRule& rule, bool parties_have_bits);

// Event t is row rows[t] of the log. Throws InputError if propensities are missing, or if the propensity of an
// evaluated event is too small. If probabilities depend on the best arm, throws InputError also if they say that an
// evaluated event had more arms to choose from than there are.
[[nodiscard]] LogWeights log_weights(const EventLog& log, const std::vector<std::uint64_t>& rows,
                                     std::uint64_t first_held_out, const WeightRule& rule);

// Returns the learned rows first, then the `held_out` evaluated rows. The evaluated rows are the last rows of the log,
// or with `mixed` the rows that a public hash selects.
[[nodiscard]] std::vector<std::uint64_t> rows_in_turn(std::uint64_t steps, std::uint64_t held_out, bool mixed);

// If propensities are right, the mean of 1 / propensity is the mean number of arms that had a chance in an event. So
// this mean is at most the number of arms. check_propensities() refuses propensities if the mean is too large or too
// small, by more than chance or rounding can explain. Chance can explain a difference of four standard errors. If there
// are few events, chance can also explain arms that were never played. Rounding can explain errors in the third
// decimal.

// weights[t] is 1 / the propensity of row rows[t]. Throws InputError if the propensities cannot be right. Returns true
// if the log shows that each arm had a chance in each event.
[[nodiscard]] bool check_propensities(const EventLog& log, const std::vector<std::uint64_t>& rows, std::uint64_t first,
                                      const std::vector<double>& weights, const WeightRule& rule);

// The same result as check_propensities(), but never throws.
[[nodiscard]] bool shows_support(const EventLog& log, const std::vector<std::uint64_t>& rows, std::uint64_t first,
                                 const std::vector<double>& weights, const WeightRule& rule);

// The same for a log whose probabilities depend on the best arm. Let p be the probability of the best arm, and q that
// of each other arm. Then an event had 1 + (1 - p) / q arms to choose from. Each of these arms had a chance.
[[nodiscard]] bool shows_support_by_best(const EventLog& log, const std::vector<std::uint64_t>& rows,
                                         std::uint64_t first);

}  // namespace sotto::apps::bandit::run
