// `sotto-lab paper o3m`: all experiments of Cao et al. 2022 and what they came to.
#pragma once

#include <atomic>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sotto/apps/kit/report/human.h"
#include "sotto/apps/kit/report/provenance.h"
#include "sotto/apps/kit/report/run_page.h"
#include "sotto/bench/lab/o3m_paper/cost_model.h"
#include "sotto/bench/lab/o3m_paper/criteo_run.h"
#include "sotto/bench/lab/o3m_paper/reference.h"
#include "sotto/bench/lab/o3m_paper/regret.h"

namespace sotto::apps {

struct PaperOptions {
  RegretSettings synthetic;  // played once for each noise, whatever noise_sd it has
  bool quick = false;        // fewer sizes for figure 5
  std::optional<CriteoSettings> criteo{};
};

struct PaperResult {
  PaperOptions options;
  Provenance provenance;
  double seconds = 0;
  std::vector<RegretRuns> regret;   // one a noise: the paper's N(0, 0.05) is read both ways
  std::vector<MeasuredCost> costs;  // figure 5, all K and d of it
  std::vector<MeasuredCost> steps;  // table 1: at the synthetic experiment's size
  std::optional<CriteoRuns> criteo;
  std::vector<Check> checks;

  [[nodiscard]] bool all_passed() const { return apps::all_passed(checks); }
  // "18 of 22 within", or that nothing was compared.
  [[nodiscard]] std::string verdict() const;
};

// `progress` is told what is done now. Errors: InputError for settings and files, Interrupted.
[[nodiscard]] PaperResult run_paper(const PaperOptions& options,
                                    const std::function<void(const std::string&)>& progress,
                                    const std::atomic<bool>& interrupted);

// What is said of figure 6 (c) where no log was given.
extern const char* const no_criteo;

// checks, regret, table_1, computation, communication, and criteo where there is a log.
[[nodiscard]] std::vector<FigureTable> paper_tables(const PaperResult& result);

[[nodiscard]] nlohmann::ordered_json to_json(const PaperResult& result);
[[nodiscard]] std::string summary_text(const PaperResult& result, const TextOptions& = {});
// One page that loads nothing.
[[nodiscard]] std::string report_html(const PaperResult& result);

}  // namespace sotto::apps
