// `sotto-lab paper hannun`: the experiments of Hannun et al. 2019 (section 5, appendix D). Rewards are means over
// several runs of the plain-text twin. Figures 7 and 8 are played in the paper's fixed-point arithmetic
// (fixed_point.h). Times are measured between processes on this machine.
#pragma once

#include "bench/lab/experiment.h"
#include "bench/lab/hannun_paper/fixed_point.h"
#include "bench/lab/hannun_paper/world.h"

namespace sotto::apps::lab {

// "1" to "8", and "table1".
[[nodiscard]] const std::vector<std::string>& hannun_figures();

struct HannunPaperOptions {
  std::optional<std::filesystem::path> mnist;  // empty: use the digits
  std::size_t seeds = 10;                      // number of seeds for figures 1 and 2; figures 5, 7 and 8 use at most 3
  std::uint64_t first_seed = 1;
  std::size_t attacks = 200;         // runs for figure 6
  std::vector<std::string> figures;  // empty: all
  bool quick = false;
  bool private_runs = true;  // if false, figures 3 and 4 are left out too

  [[nodiscard]] bool wants(const std::string& figure) const;
};

// Figures 3 and 4: a step of the private bandit between processes, with all randomness dealt ahead.
struct HannunStepTime {
  std::size_t parties = 0;
  std::size_t arms = 0;
  std::uint64_t steps = 0;  // of the timed run
  double step_us = 0;
  double twin_us = 0;
};

[[nodiscard]] std::vector<HannunStepTime> measure_hannun_steps(const HannunWorld& world, bool quick,
                                                               const Runner& runner);

// Table 1: an operation on 100 values between two parties.
struct HannunOperation {
  std::string name;
  std::string published_rounds;              // from the paper
  std::optional<double> published_slowdown;  // from the paper
  std::uint64_t rounds = 0;
  double private_us = 0;
  double plain_us = 0;

  [[nodiscard]] double slowdown() const { return private_us / plain_us; }
};

[[nodiscard]] std::vector<HannunOperation> measure_hannun_operations(const std::atomic<bool>& interrupted);

[[nodiscard]] std::uint64_t published_reciprocal_rounds();

struct HannunRewards {
  double epsilon = 0;
  std::vector<std::vector<double>> runs;  // [seed][mark]
  std::optional<HannunPrivateRun> private_run{};

  [[nodiscard]] MeanAndSd at(std::size_t mark) const;
};

// Figure 5, for one number of k-means arms. Rewards are averages over one pass over the rows.
struct HannunArms {
  std::size_t arms = 0;
  double best = 0;
  double uniform = 0;
  std::vector<HannunRewards> rewards{};
};

// Figure 6, for one epsilon.
struct HannunAttacks {
  double epsilon = 0;
  std::vector<std::vector<MembershipAdvantage>> runs;  // [run][mark]
  std::vector<std::optional<MembershipAdvantage>> on_private;

  [[nodiscard]] MeanAndSd by_reward(std::size_t mark) const;
  [[nodiscard]] MeanAndSd by_reward_and_arm(std::size_t mark) const;
};

// Figures 7 and 8, for one setting.
struct HannunFixedPoint {
  FixedPointSettings settings;
  std::vector<double> rewards{};
  std::vector<std::uint64_t> failures{};
};

struct HannunPaperRuns {
  HannunPaperOptions options;
  std::string data;
  bool is_mnist = false;
  std::size_t rows = 0;
  std::size_t held_out = 0;  // held-out images for figure 6; 0: a third of the rows
  std::vector<std::uint64_t> marks;
  std::vector<HannunRewards> rewards;
  std::vector<HannunArms> arms;
  std::vector<std::uint64_t> attack_marks;
  std::vector<HannunAttacks> attacks;
  std::vector<HannunFixedPoint> precision;
  std::vector<HannunPrivateRun> private_bits;
  std::vector<HannunFixedPoint> newton;
  std::vector<double> plain_rewards;
  std::vector<HannunStepTime> step_times;
  std::vector<HannunOperation> operations;
  std::uint64_t published_rounds = 0;

  [[nodiscard]] std::optional<std::size_t> mark_of(std::uint64_t steps) const;
};

[[nodiscard]] HannunPaperRuns play_hannun_paper(const HannunPaperOptions& options, const Runner& runner);

[[nodiscard]] ReportPage hannun_paper_page(const HannunPaperRuns& runs, const std::vector<FigureTable>& tables);
[[nodiscard]] Experiment hannun_paper(const HannunPaperRuns& runs);

[[nodiscard]] std::vector<Check> check_hannun(const HannunPaperRuns& runs);

[[nodiscard]] std::string hannun_arithmetic(const FixedPointSettings& settings);

// The figures that a reproduction must reach. An independent implementation computed the figures in double precision
// (figure 7: in integers), with other seeds.

struct HannunRewardReference {
  double epsilon;
  std::vector<double> means;
  double sd;  // standard deviation over seeds at the last of the steps; 0: not known
};
struct HannunReference {
  std::size_t seeds;
  std::vector<std::uint64_t> steps;
  std::vector<HannunRewardReference> rewards;
};
[[nodiscard]] const HannunReference& hannun_reference(bool is_mnist);

}  // namespace sotto::apps::lab
