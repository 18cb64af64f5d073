// `sotto-lab paper batches`: the experiment, what it came to, and what it should come to.
#pragma once

#include <atomic>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "apps/kit/report/human.h"
#include "apps/kit/report/run_header.h"
#include "apps/kit/report/run_page.h"
#include "bench/lab/batches_paper/experiment.h"

namespace sotto::apps::lab {

struct BatchesResult {
  Provenance provenance;
  double seconds = 0;
  BatchesRuns runs;
  std::vector<Check> checks;

  [[nodiscard]] bool all_passed() const { return apps::all_passed(checks); }
  // "31 of 31 figures are within what was expected of them", or that nothing was compared; and that MNIST is missing.
  [[nodiscard]] std::string verdict() const;
};

// `progress` is told what is done now. Errors as of play_batches().
[[nodiscard]] BatchesResult run_batches_paper(const BatchesOptions& options,
                                              const std::function<void(const std::string&)>& progress,
                                              const std::atomic<bool>& interrupted);

// checks and rewards.
[[nodiscard]] std::vector<FigureTable> batches_tables(const BatchesResult& result);
// One a data set: reward against the size of a batch, a line a delay.
[[nodiscard]] std::vector<PageFigure> batches_charts(const BatchesRuns& runs);

[[nodiscard]] nlohmann::ordered_json to_json(const BatchesResult& result);
[[nodiscard]] std::string summary_text(const BatchesResult& result, const TextOptions& = {});
// One page that loads nothing.
[[nodiscard]] std::string report_html(const BatchesResult& result);
// The record of it.
[[nodiscard]] Page record_of(const BatchesResult& result);

// The average rewards that a reproduction must come to: computed beforehand by an independent implementation in double
// precision, with Newton-Schulz iterations in place of exact inverses, 20 seeds on the digits and 10 on MNIST. There is
// none for the made-up arms.
struct BatchReference {
  const char* set;
  BatchSetting setting;
  double mean;
  double error;  // standard error
};
[[nodiscard]] const std::vector<BatchReference>& batch_references();

// How far apart they may be, in standard errors of the difference.
inline constexpr double most_errors = 3;
// What batches of 256 may cost on the made-up arms.
inline constexpr double most_lost = .015;

// The difference of two means in its standard errors; 0 where both errors are 0 and the means are equal.
[[nodiscard]] double in_errors(double difference, double one_error, double other_error);

// The reference's rewards and last quarters; batches of 256 on the made-up arms; private runs beside the twin's.
// Nothing where the runs were cut short.
[[nodiscard]] std::vector<Check> check_batches(const BatchesRuns& runs);

}  // namespace sotto::apps::lab
