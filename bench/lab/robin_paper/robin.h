// `sotto-lab paper robin`: ROBIN on simulated instances, for several numbers of clients M, epsilons and horizons T.
// Each setting is played with several seeds. ROBIN is compared with local LinUCB and with the federated bandit without
// privacy. Huang et al. 2023 has theorems but no figures, so the reference figures are from an independent
// implementation.
//
// Unless stated otherwise, mechanisms are those of the paper: Laplace noise, and a private range in every release. A
// run that ROBIN refuses is played with `adaptive`, as local LinUCB, so that figures exist for every run.
#pragma once

#include "apps/robin/play.h"
#include "apps/robin/settings.h"
#include "bench/lab/experiment.h"

namespace sotto::apps::lab {

struct RobinPaperOptions {
  std::size_t seeds = 5;
  std::uint64_t first_seed = 1;
  std::uint64_t horizon = 8190;  // the reference is for 8190
  bool quick = false;            // true: leave out the largest M
};

// One setting, played for each seed.
struct RobinCell {
  robin::RobinSettings settings;              // settings of the first seed, after resolved()
  std::vector<robin::RobinOutcome> outcomes;  // one for each seed

  [[nodiscard]] MeanAndSd regret() const;
  [[nodiscard]] const robin::RobinDecision& decision() const { return outcomes.front().decision; }
  [[nodiscard]] bool refused() const { return decision().mode != robin::RobinMode::federated; }
};

// One twin (local LinUCB, or the federated bandit without privacy), played for each seed, with the figures of the
// phases.
struct RobinTwin {
  std::size_t dimension = 0;
  std::size_t clients = 0;
  std::vector<std::vector<robin::PhaseFigures>> runs;

  // The regret at the end of the phase that ends with step `horizon`.
  [[nodiscard]] MeanAndSd regret(std::uint64_t horizon) const;
};

struct RobinPaperRuns {
  RobinPaperOptions options;
  std::vector<RobinCell> cells;
  std::vector<RobinTwin> local;       // one twin for each dimension
  std::vector<RobinTwin> nonprivate;  // twins for several M

  [[nodiscard]] const RobinCell* find(const robin::RobinSettings& wanted) const;
  [[nodiscard]] const RobinTwin& local_twin(std::size_t dimension) const;
  // The twin with this number of clients, or with the nearest number.
  [[nodiscard]] const RobinTwin& nonprivate_twin(std::size_t dimension, std::size_t clients) const;
};

// Settings with the paper's mechanisms, for d = 4 and K = 5, or for d = 8 and K = 10.
[[nodiscard]] robin::RobinSettings paper_settings(std::size_t dimension, std::size_t clients, double epsilon,
                                                  std::uint64_t horizon);

// The settings that are played, without their seeds. Settings with d = 8 need a horizon above 510 steps, because their
// initialisation takes 510 steps.
[[nodiscard]] std::vector<robin::RobinSettings> paper_cells(const RobinPaperOptions& options);

// Noise is drawn from insecure coins, so that figures can be repeated. Throws InputError if there are no seeds, or if
// the horizon is below 254, the smallest horizon with a release at d = 4. Also throws Interrupted.
[[nodiscard]] RobinPaperRuns play_robin_paper(const RobinPaperOptions& options, const Runner& runner);

// The results of the runs, in the tables "checks", "runs" and "mechanisms".
[[nodiscard]] Experiment robin_paper(const RobinPaperRuns& runs);
// Charts of regret against the number of clients, epsilon and the horizon, compared with both twins.
[[nodiscard]] std::vector<PageFigure> robin_paper_charts(const RobinPaperRuns& runs);

// The figures that a reproduction must reach: an independent plain-text implementation of ROBIN (double precision, 3 to
// 5 other seeds) computed them beforehand, with T = 8190 and delta 1e-5.
//
// Our accounting of privacy is tight, so our noise may be smaller than the reference's noise for the same epsilon. A
// regret below the reference's also passes the check, and the table says "better". If the private ranges misfired in
// the reference's runs of a setting, our implementation must refuse the setting.
struct RobinReference {
  std::size_t dimension = 4;
  std::size_t clients = 0;
  double epsilon = 0;
  double mean = 0;
  std::optional<double> spread{};  // one standard deviation over seeds, if known
};

[[nodiscard]] const std::vector<RobinReference>& robin_references();

// Checks the runs. Returns no checks if the horizon differs from the reference's.
[[nodiscard]] std::vector<Check> check_robin(const RobinPaperRuns& runs);

}  // namespace sotto::apps::lab
