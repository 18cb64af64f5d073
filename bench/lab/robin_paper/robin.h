// `sotto-lab paper robin`: ROBIN on simulated instances at several numbers of clients M, epsilons and horizons T, each
// for some seeds. ROBIN is compared with local LinUCB and with the federated bandit without privacy. Huang et al. 2023
// has theorems but no figures, so the reference figures are from an independent implementation.
//
// Unless stated otherwise, mechanisms are those of the paper: Laplace noise, and a private range in every release. A
// refused run is played with `adaptive`, as local LinUCB, so that its figures exist too.
#pragma once

#include "apps/robin/play.h"
#include "apps/robin/settings.h"
#include "bench/lab/experiment.h"

namespace sotto::apps::lab {

struct RobinPaperOptions {
  std::size_t seeds = 5;
  std::uint64_t first_seed = 1;
  std::uint64_t horizon = 8190;  // the reference is for 8190
  bool quick = false;            // leave out the largest M
};

// One setting, played for each seed.
struct RobinCell {
  robin::RobinSettings settings;              // settings of the first seed, after resolved()
  std::vector<robin::RobinOutcome> outcomes;  // one for each seed

  [[nodiscard]] MeanAndSd regret() const;
  [[nodiscard]] const robin::RobinDecision& decision() const { return outcomes.front().decision; }
  [[nodiscard]] bool refused() const { return decision().mode != robin::RobinMode::federated; }
};

// One twin, played for each seed, with the figures of its phases.
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
  std::vector<RobinTwin> local;       // twins for each dimension
  std::vector<RobinTwin> nonprivate;  // twins for several M

  [[nodiscard]] const RobinCell* find(const robin::RobinSettings& wanted) const;
  [[nodiscard]] const RobinTwin& local_twin(std::size_t dimension) const;
  // The twin of that number of clients, or of the nearest number.
  [[nodiscard]] const RobinTwin& nonprivate_twin(std::size_t dimension, std::size_t clients) const;
};

// The paper's mechanisms at d = 4, K = 5, or d = 8, K = 10.
[[nodiscard]] robin::RobinSettings paper_settings(std::size_t dimension, std::size_t clients, double epsilon,
                                                  std::uint64_t horizon);

// The settings that are played, without their seeds. Settings of d = 8 need a horizon above the 510 steps of their
// initialisation.
[[nodiscard]] std::vector<robin::RobinSettings> paper_cells(const RobinPaperOptions& options);

// Noise is drawn from insecure coins, so that figures can be repeated. Throws Interrupted, and InputError for no seeds
// and for a horizon below 254, the first with a release at d = 4.
[[nodiscard]] RobinPaperRuns play_robin_paper(const RobinPaperOptions& options, const Runner& runner);

// The results of the runs, in the tables checks, runs and mechanisms.
[[nodiscard]] Experiment robin_paper(const RobinPaperRuns& runs);
// Regret against the number of clients, epsilon and the horizon, next to both twins.
[[nodiscard]] std::vector<PageFigure> robin_paper_charts(const RobinPaperRuns& runs);

// The figures that a reproduction must reach: an independent plain-text implementation of ROBIN (double precision, 3 to
// 5 other seeds) computed them beforehand, T = 8190, delta 1e-5.
//
// The account here is tight, so noise may be smaller than the reference's for the same epsilon: less regret than the
// reference's also passes, and the table says "better". Where the reference played runs whose ranges misfired, our
// implementation must refuse.
struct RobinReference {
  std::size_t dimension = 4;
  std::size_t clients = 0;
  double epsilon = 0;
  double mean = 0;
  std::optional<double> spread{};  // one standard deviation over seeds, if known
};

[[nodiscard]] const std::vector<RobinReference>& robin_references();

// Checks the runs. Returns nothing if the horizon is not the reference's.
[[nodiscard]] std::vector<Check> check_robin(const RobinPaperRuns& runs);

}  // namespace sotto::apps::lab
