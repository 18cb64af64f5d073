// How much each event of a log counts where the log is evaluated: one over the probability with which its arm was
// played.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "apps/bandit/run/log/event_log.h"
#include "apps/bandit/run/log/weight_rule.h"

namespace sotto::apps::bandit::run {

struct LogWeights {
  std::vector<double> weights;  // an event, at most 1 / least_propensity
  std::uint64_t clipped = 0;    // of those that are held out
  bool full_support = false;    // each arm had a chance in each event: the log shows it, or its owner says so
};

// Of the first `events` events, of which those from `first_held_out` on are evaluated, in the order in which the run
// takes them: event t is row rows[t] of the log. Throws InputError where the rule asks for propensities and the log has
// none, and, naming its line, where an evaluated event has one that is too small.
[[nodiscard]] LogWeights log_weights(const EventLog& log, const std::vector<std::uint64_t>& rows,
                                     std::uint64_t first_held_out, const WeightRule& rule);

// In which order a run takes the first `steps` rows of a log, of which it evaluates `held_out`: the last ones, or,
// mixed, some from everywhere, by a public hash of their number. Both parts are in the order of rows.
[[nodiscard]] std::vector<std::uint64_t> rows_in_turn(std::uint64_t steps, std::uint64_t held_out, bool mixed);

}  // namespace sotto::apps::bandit::run
