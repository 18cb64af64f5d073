// Segments of an evaluated log, such as countries: the rewards that each policy would have earned in each segment.
//
// The owner of the log names a column of the log, and this column divides the cells for the counts (log_cells.h). An
// event is in one cell, so segments cost no epsilon. Each segment is then a log of its own, with its own mean reward
// and support. The values of policies in a segment are computed as those in the whole log (estimates.h), with the range
// of rewards of the whole log. The noise is equally large in each count, so it has more effect in segments with fewer
// events. Where noise alone would make more than a twentieth of the range of rewards, the model has no value in that
// segment. Each single interval contains its value with 95%: of 20 intervals, one misses its value on average.
#pragma once

#include <vector>

#include "apps/bandit/run/log/estimates.h"
#include "apps/bandit/run/log/log_cells.h"
#include "apps/bandit/run/log/log_weights.h"

namespace sotto::apps::bandit::run {

// The values of the segments that have evaluated events, from the counts of all cells. Empty for a log without
// segments.
[[nodiscard]] std::vector<SegmentValues> segment_values(const OpenedCounts& counts, const EvaluatedLog& evaluated,
                                                        const LogCells& cells, const CountNoiseTerms& noise,
                                                        const WeightRule& rule);

// The exact values of the segments, from the plain-text twin. `agreements` says for each event whether the model's arm
// is the arm of the log.
[[nodiscard]] std::vector<SegmentValues> plaintext_segments(const std::vector<bool>& agreements,
                                                            const EvaluatedLog& evaluated,
                                                            std::uint64_t rows_of_subject, const WeightRule& rule);

}  // namespace sotto::apps::bandit::run
