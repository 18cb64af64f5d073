// The plain-text twin of an evaluation: the same sums, in double precision on open data.
#pragma once

#include <cstdint>
#include <vector>

#include "apps/bandit/model/evaluate/opened_sums.h"
#include "apps/bandit/model/twin/plaintext.h"
#include "apps/bandit/run/log/event_log.h"

namespace sotto::apps::bandit::run {

// `bandit` learns the first `learned` events, and the sums are over the others; event t is row rows[t] of the log, its
// context that of the row. Ties go to the first arm.
[[nodiscard]] OpenedSums plaintext_evaluation(PlaintextBandit& bandit, const ContextGetter& contexts,
                                              const EventLog& log, const std::vector<std::uint64_t>& rows,
                                              const std::vector<double>& weights, std::uint64_t learned);

}  // namespace sotto::apps::bandit::run
