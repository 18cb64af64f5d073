// What a log alone says of its propensities, before anything is evaluated.
//
// The mean of 1 / propensity is the mean number of arms that had a chance in an event. So it cannot be above the number
// of arms, and where it is that number every arm had a chance everywhere. One propensity throughout is that of arms
// drawn alike: 1, or one over their number. Numbers are refused that are further off than chance explains, by four
// standard errors and by the arms that so few events may leave out, or than the rounding of a third decimal.
// Propensities that are wrong in other ways show in mean weights (apps/bandit/run/log/estimates.h), or nowhere.
#pragma once

#include <cstdint>
#include <vector>

#include "apps/bandit/run/log/event_log.h"
#include "apps/bandit/run/log/weight_rule.h"

namespace sotto::apps::bandit::run {

// Of the events from `first` on, which are rows rows[t] of the log, with weights[t], one over their propensities.
// Throws InputError where they cannot be right. True where the log shows that each arm had a chance in each event.
[[nodiscard]] bool check_propensities(const EventLog& log, const std::vector<std::uint64_t>& rows, std::uint64_t first,
                                      const std::vector<double>& weights, const WeightRule& rule);

}  // namespace sotto::apps::bandit::run
