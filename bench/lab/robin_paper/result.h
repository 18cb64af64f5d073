// `sotto-lab paper robin`: the experiment and what it came to.
#pragma once

#include <atomic>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sotto/apps/kit/report/human.h"
#include "sotto/apps/kit/report/provenance.h"
#include "sotto/apps/kit/report/run_page.h"
#include "sotto/bench/lab/robin_paper/experiment.h"
#include "sotto/bench/lab/robin_paper/reference.h"

namespace sotto::apps {

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

}  // namespace sotto::apps
