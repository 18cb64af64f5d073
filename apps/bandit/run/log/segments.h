// Segments of a log that is evaluated, such as countries: what each policy would have earned in each.
//
// The owner of the log names a column of its own, which divides the cells of counts (log_cells.h). An event is in one
// cell, so this costs no epsilon. Each segment is then a log of its own, with its own mean reward and support, and the
// values of its policies follow as those of the whole log do (estimates.h); the range of rewards is that of the whole
// log. Its noise is the same in each count, and so weighs more on fewer events: where it alone would make more than a
// twentieth of the range of rewards, the model has no value there. Each interval holds with 95% by itself: of 20
// segments one is missed on the average.
#pragma once

#include <vector>

#include "apps/bandit/run/log/estimates.h"
#include "apps/bandit/run/log/log_cells.h"
#include "apps/bandit/run/log/log_weights.h"

namespace sotto::apps::bandit::run {

// Of the segments of `evaluated` that have events there, from the counts of all cells; none of a log without segments.
[[nodiscard]] std::vector<SegmentValues> segment_values(const OpenedCounts& counts, const EvaluatedLog& evaluated,
                                                        const LogCells& cells, const CountNoiseTerms& noise,
                                                        const WeightRule& rule);

// The same by the plain-text twin, exact: from whether the model's arm is that of the log, event by event.
[[nodiscard]] std::vector<SegmentValues> plaintext_segments(const std::vector<bool>& agreements,
                                                            const EvaluatedLog& evaluated,
                                                            std::uint64_t rows_of_subject, const WeightRule& rule);

}  // namespace sotto::apps::bandit::run
