// `sotto-lab paper hannun`: the experiment and what it came to.
#pragma once

#include <atomic>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "apps/kit/report/human.h"
#include "apps/kit/report/run_header.h"
#include "apps/kit/report/run_page.h"
#include "bench/lab/hannun_paper/experiment.h"
#include "bench/lab/hannun_paper/reference.h"

namespace sotto::apps::lab {

struct HannunPaperResult {
  Provenance provenance;
  double seconds = 0;
  HannunPaperRuns runs;
  std::vector<Check> checks;

  // "60 of 60 figures are within what was expected of them", or that nothing was compared.
  [[nodiscard]] std::string verdict() const;
};

// `progress` is told what is done now. Errors as of play_hannun_paper().
[[nodiscard]] HannunPaperResult run_hannun_paper(const HannunPaperOptions& options,
                                                 const std::function<void(const std::string&)>& progress,
                                                 const std::atomic<bool>& interrupted);

// checks, and one for each figure that was played.
[[nodiscard]] std::vector<FigureTable> hannun_paper_tables(const HannunPaperResult& result);
// The figures as the paper draws them.
[[nodiscard]] std::vector<PageFigure> hannun_paper_charts(const HannunPaperRuns& runs);

[[nodiscard]] nlohmann::ordered_json to_json(const HannunPaperResult& result);
[[nodiscard]] std::string summary_text(const HannunPaperResult& result, const TextOptions& = {});
// One page that loads nothing.
[[nodiscard]] std::string report_html(const HannunPaperResult& result);

// A mean over seeds, and a private run, are within where they are off by no more than `hannun_deviations` standard
// errors of the difference and .001. A run's deviation is the largest of ours, the reference's where it is known, and
// that of as many independent rewards; with fewer than 10 seeds, which may lie close together by chance, also the root
// mean square over the epsilons. Further slack of single figures is said below the table (checks.cc).
inline constexpr double hannun_deviations = 4;

// Of the figures that were played.
[[nodiscard]] std::vector<Check> check_hannun(const HannunPaperRuns& runs);

// Of one of the settings of figure 7: "published", "published, exact reciprocal", "unbiased", ...
[[nodiscard]] std::string hannun_arithmetic(const FixedPointSettings& settings);

}  // namespace sotto::apps::lab
