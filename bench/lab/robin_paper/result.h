// `sotto-lab paper robin`: the experiment and what it came to.
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
#include "bench/lab/robin_paper/experiment.h"

namespace sotto::apps::lab {

struct RobinPaperResult {
  Provenance provenance;
  double seconds = 0;
  RobinPaperRuns runs;
  std::vector<Check> checks;

  // "15 of 15 figures are within what was expected of them", or that nothing was compared.
  [[nodiscard]] std::string verdict() const;
};

// `progress` is told what is done now. Errors: InputError for settings, Interrupted.
[[nodiscard]] RobinPaperResult run_robin_paper(const RobinPaperOptions& options,
                                               const std::function<void(const std::string&)>& progress,
                                               const std::atomic<bool>& interrupted);

// checks, runs and mechanisms.
[[nodiscard]] std::vector<FigureTable> robin_paper_tables(const RobinPaperResult& result);
// Regret against the number of clients, epsilon and the horizon, beside both twins.
[[nodiscard]] std::vector<PageFigure> robin_paper_charts(const RobinPaperRuns& runs);

[[nodiscard]] nlohmann::ordered_json to_json(const RobinPaperResult& result);
[[nodiscard]] std::string summary_text(const RobinPaperResult& result, const TextOptions& = {});
// One page that loads nothing.
[[nodiscard]] std::string report_html(const RobinPaperResult& result);

// The figures that a reproduction must come to: computed beforehand by an independent plain-text implementation of
// ROBIN (double precision, other seeds, 3 to 5 of them), T = 8190, delta 1e-5.
//
// The account here is a tight one, so that noise may be smaller than the reference's for the same epsilon: less regret
// than the reference's counts as within, and is named better. Where it let runs go wrong, ours must refuse.
struct RobinReference {
  std::size_t dimension = 4;
  std::size_t clients = 0;
  double epsilon = 0;
  double mean = 0;
  std::optional<double> spread{};  // one standard deviation over seeds, where it is known
};

[[nodiscard]] const std::vector<RobinReference>& robin_references();

// What is within is said below the table (result.cc). Nothing where the horizon is another one.
[[nodiscard]] std::vector<Check> check_robin(const RobinPaperRuns& runs);

}  // namespace sotto::apps::lab
