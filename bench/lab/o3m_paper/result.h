// `sotto-lab paper o3m`: all experiments of Cao et al. 2022 and what they came to.
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
#include "bench/lab/o3m_paper/cost_model.h"
#include "bench/lab/o3m_paper/criteo_run.h"
#include "bench/lab/o3m_paper/regret.h"

namespace sotto::apps::lab {

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

// The figures that a reproduction must come to: computed beforehand by an independent plain-text implementation of the
// same experiment (double precision, other seeds), and the statements of Cao et al. 2022 about their figure 5 that can
// be checked.

// Cumulative regret after 5000 steps, d = 100, K = 10.
struct RegretReference {
  double noise_variance = 0;
  LinearAlgorithm algorithm = LinearAlgorithm::ucb;
  PaperPolicy policy = PaperPolicy::central;
  double mean = 0;
  double spread = 0;  // one standard deviation over repeats
};

[[nodiscard]] const std::vector<RegretReference>& regret_references();

// The mean of our repeats, give or take two of its standard errors, is within the reference's spread of the reference's
// mean. Nothing where the run is not of the setting that the reference is for, or has no such policy.
[[nodiscard]] std::vector<Check> check_regret(const RegretRuns& runs);
// The masked bandit pulls the arms of its central twin, and scores agree to 1e-9.
[[nodiscard]] std::vector<Check> check_lossless(const RegretRuns& runs);
// What the paper says about figure 5.
[[nodiscard]] std::vector<Check> check_cost_model();

// "LinUCB", "VFUCB", "LinUCB, 20% of the features", "uniform play".
[[nodiscard]] std::string policy_name(LinearAlgorithm algorithm, PaperPolicy policy);
// "noise sd 0.05" or "noise variance 0.05".
[[nodiscard]] std::string noise_name(double noise_sd);

}  // namespace sotto::apps::lab
