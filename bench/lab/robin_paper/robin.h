// `sotto-lab paper robin`: ROBIN on simulated instances at several numbers of clients M, epsilons and horizons T, each
// for some seeds, beside local LinUCB and the federated bandit without privacy. Huang et al. 2023 has theorems and no
// figures; the comparison is with an independent implementation.
//
// Mechanisms are the paper's where nothing else is said: Laplace noise, a private range in every release. A run that is
// refused is played with `adaptive`, as local LinUCB, so that its figures are there too.
#pragma once

#include "apps/robin/play.h"
#include "apps/robin/settings.h"
#include "bench/lab/experiment.h"

namespace sotto::apps::lab {

struct RobinPaperOptions {
  std::size_t seeds = 5;
  std::uint64_t first_seed = 1;
  std::uint64_t horizon = 8190;  // the reference to compare with is for 8190
  bool quick = false;            // without the largest M
};

// One setting, played for each seed.
struct RobinCell {
  robin::RobinSettings settings;              // of the first seed, resolved()
  std::vector<robin::RobinOutcome> outcomes;  // one a seed

  [[nodiscard]] MeanAndSd regret() const;
  [[nodiscard]] const robin::RobinDecision& decision() const { return outcomes.front().decision; }
  [[nodiscard]] bool refused() const { return decision().mode != robin::RobinMode::federated; }
};

// One twin, played for each seed: figures of its phases.
struct RobinTwin {
  std::size_t dimension = 0;
  std::size_t clients = 0;
  std::vector<std::vector<robin::PhaseFigures>> runs;

  // At the end of the phase that ends with step `horizon`.
  [[nodiscard]] MeanAndSd regret(std::uint64_t horizon) const;
};

struct RobinPaperRuns {
  RobinPaperOptions options;
  std::vector<RobinCell> cells;
  std::vector<RobinTwin> local;       // one a dimension
  std::vector<RobinTwin> nonprivate;  // of several M

  [[nodiscard]] const RobinCell* find(const robin::RobinSettings& wanted) const;
  [[nodiscard]] const RobinTwin& local_twin(std::size_t dimension) const;
  // That of so many clients, or of the nearest number.
  [[nodiscard]] const RobinTwin& nonprivate_twin(std::size_t dimension, std::size_t clients) const;
};

// The paper's mechanisms at d = 4, K = 5, or d = 8, K = 10.
[[nodiscard]] robin::RobinSettings paper_settings(std::size_t dimension, std::size_t clients, double epsilon,
                                                  std::uint64_t horizon);

// Settings that are played, whatever their seed; of d = 8 where the horizon is beyond its 510 steps of initialisation.
[[nodiscard]] std::vector<robin::RobinSettings> paper_cells(const RobinPaperOptions& options);

// Noise is drawn from insecure coins, so that figures can be repeated. Errors: Interrupted; InputError for no seeds and
// a horizon below 254, where d = 4 has one release.
[[nodiscard]] RobinPaperRuns play_robin_paper(const RobinPaperOptions& options, const Runner& runner);

// What the runs came to: the tables checks, runs and mechanisms.
[[nodiscard]] Experiment robin_paper(const RobinPaperRuns& runs);
// Regret against the number of clients, epsilon and the horizon, beside both twins.
[[nodiscard]] std::vector<PageFigure> robin_paper_charts(const RobinPaperRuns& runs);

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

// Nothing where the horizon is another one.
[[nodiscard]] std::vector<Check> check_robin(const RobinPaperRuns& runs);

}  // namespace sotto::apps::lab
