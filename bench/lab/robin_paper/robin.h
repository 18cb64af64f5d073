// `sotto-lab paper robin`: ROBIN on simulated instances, compared with local LinUCB and with the federated bandit
// without privacy.
//
// Unless stated otherwise, mechanisms are those of the paper: Laplace noise, and a private range in every release. A
// run that ROBIN refuses is played as local LinUCB (`adaptive`).
#pragma once

#include "apps/robin/play.h"
#include "apps/robin/settings.h"
#include "bench/lab/experiment.h"

namespace sotto::apps::lab {

struct RobinPaperOptions {
  std::size_t seeds = 5;
  std::uint64_t first_seed = 1;
  std::uint64_t horizon = 8190;  // the reference is for 8190
  bool quick = false;            // leaves out the largest number of clients
};

struct RobinCell {
  robin::RobinSettings settings;              // of the first seed, resolved()
  std::vector<robin::RobinOutcome> outcomes;  // for each seed

  [[nodiscard]] MeanAndSd regret() const;
  [[nodiscard]] const robin::RobinDecision& decision() const { return outcomes.front().decision; }
  [[nodiscard]] bool refused() const { return decision().mode != robin::RobinMode::federated; }
};

struct RobinTwin {
  std::size_t dimension = 0;
  std::size_t clients = 0;
  std::vector<std::vector<robin::PhaseFigures>> runs;

  [[nodiscard]] MeanAndSd regret(std::uint64_t horizon) const;
};

struct RobinPaperRuns {
  RobinPaperOptions options;
  std::vector<RobinCell> cells;
  std::vector<RobinTwin> local;       // for each dimension
  std::vector<RobinTwin> nonprivate;  // for several numbers of clients

  [[nodiscard]] const RobinCell* find(const robin::RobinSettings& wanted) const;
  [[nodiscard]] const RobinTwin& local_twin(std::size_t dimension) const;
  [[nodiscard]] const RobinTwin& nonprivate_twin(std::size_t dimension, std::size_t clients) const;
};

// Settings with the paper's mechanisms. `dimension` is 4 (with 5 arms) or 8 (with 10 arms).
[[nodiscard]] robin::RobinSettings paper_settings(std::size_t dimension, std::size_t clients, double epsilon,
                                                  std::uint64_t horizon);

// Settings with d = 8 need a horizon above 510 steps, because their initialisation takes 510 steps.
[[nodiscard]] std::vector<robin::RobinSettings> paper_cells(const RobinPaperOptions& options);

// Noise is drawn from insecure coins, so that figures can be repeated. Throws InputError if there are no seeds, or if
// the horizon is below 254, the smallest horizon with a release at d = 4. Also throws Interrupted.
[[nodiscard]] RobinPaperRuns play_robin_paper(const RobinPaperOptions& options, const Runner& runner);

[[nodiscard]] Experiment robin_paper(const RobinPaperRuns& runs);
[[nodiscard]] std::vector<PageFigure> robin_paper_charts(const RobinPaperRuns& runs);

// The figures that a reproduction must reach, computed beforehand by an independent plain-text implementation (double
// precision, 3 to 5 other seeds), with T = 8190 and delta 1e-5.
//
// Our accounting of privacy is tight, so our noise may be smaller than the reference's noise. A regret below the
// reference's therefore passes too ("better"). A private range misfires if it misses the values that it must contain.
// If private ranges misfired in the reference's runs of a setting, our implementation must refuse the setting.
struct RobinReference {
  std::size_t dimension = 4;
  std::size_t clients = 0;
  double epsilon = 0;
  double mean = 0;
  std::optional<double> spread{};
};

[[nodiscard]] const std::vector<RobinReference>& robin_references();

// Returns no checks if the horizon differs from the reference's.
[[nodiscard]] std::vector<Check> check_robin(const RobinPaperRuns& runs);

}  // namespace sotto::apps::lab
