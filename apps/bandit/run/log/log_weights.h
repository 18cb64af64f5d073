// How much each event of a log counts where the log is evaluated: one over the probability with which its arm was
// played.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "apps/bandit/run/log/event_log.h"

namespace sotto::apps::bandit::run {

// What a run says of the propensities of its log.

// Where propensities come from: the log's column, or each arm's share of the events. The latter is right only where
// arms were played at random alike, whatever the context was.
enum class Propensities : std::uint8_t { logged, frequencies };

struct WeightRule {
  Propensities propensities = Propensities::logged;
  double least_propensity = .01;
  bool clips = false;            // what is below counts as if it were least_propensity; otherwise it is refused
  std::size_t arms_offered = 0;  // so many of the arms each event had to choose from; 0: of all that were played
  bool full_support = false;     // the log's owner says so: each arm had a chance in each event
};

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

// What a log alone says of its propensities, before anything is evaluated.
//
// The mean of 1 / propensity is the mean number of arms that had a chance in an event. So it cannot be above the number
// of arms, and where it is that number every arm had a chance everywhere. One propensity throughout is that of arms
// drawn alike: 1, or one over their number. Numbers are refused that are further off than chance explains, by four
// standard errors and by the arms that so few events may leave out, or than the rounding of a third decimal.
// Propensities that are wrong in other ways show in mean weights (apps/bandit/run/log/estimates.h), or nowhere.

// Of the events from `first` on, which are rows rows[t] of the log, with weights[t], one over their propensities.
// Throws InputError where they cannot be right. True where the log shows that each arm had a chance in each event.
[[nodiscard]] bool check_propensities(const EventLog& log, const std::vector<std::uint64_t>& rows, std::uint64_t first,
                                      const std::vector<double>& weights, const WeightRule& rule);

// Whether logged propensities of some events show that of these, and refuses nothing.
[[nodiscard]] bool shows_support(const EventLog& log, const std::vector<std::uint64_t>& rows, std::uint64_t first,
                                 const std::vector<double>& weights, const WeightRule& rule);

}  // namespace sotto::apps::bandit::run
