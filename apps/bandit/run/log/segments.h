// The rewards that each policy would have earned in each segment of an evaluated log, such as a country.
//
// An event is in one cell, so segments cost no epsilon. Each segment is evaluated as a log of its own, with its own
// mean reward and support, but with the range of rewards of the whole log. If the interval of the model from noise
// alone is more than a twentieth of the range of rewards, the model has no value in that segment. Each 95% interval
// contains its value with a probability of 95%: of 20 intervals, one misses its value on average.
#pragma once

#include <vector>

#include "apps/bandit/run/log/estimates.h"
#include "apps/bandit/run/log/log_cells.h"
#include "apps/bandit/run/log/log_weights.h"

namespace sotto::apps::bandit::run {

[[nodiscard]] std::vector<SegmentValues> segment_values(const OpenedCounts& counts, const EvaluatedLog& evaluated,
                                                        const LogCells& cells, const CountNoiseTerms& noise,
                                                        const WeightRule& rule);

// `agreements` says for each evaluated event whether the model's arm is the logged arm.
[[nodiscard]] std::vector<SegmentValues> plaintext_segments(const std::vector<bool>& agreements,
                                                            const EvaluatedLog& evaluated,
                                                            std::uint64_t rows_of_subject, const WeightRule& rule);

}  // namespace sotto::apps::bandit::run
