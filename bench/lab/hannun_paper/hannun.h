// `sotto-lab paper hannun`: section 5 and appendix D of Hannun et al. 2019. Rewards are means over several runs of the
// plain-text twin, each with its own seed. Besides the twin's runs, each setting has one private run. Figures 7 and 8
// are played in the paper's fixed-point arithmetic (fixed_point.h). Times are measured between processes on this
// machine.
#pragma once

#include "bench/lab/experiment.h"
#include "bench/lab/hannun_paper/fixed_point.h"
#include "bench/lab/hannun_paper/world.h"

namespace sotto::apps::lab {

// The names of the figures: "1" to "8", and "table1".
[[nodiscard]] const std::vector<std::string>& hannun_figures();

struct HannunPaperOptions {
  std::optional<std::filesystem::path> mnist;  // folder of MNIST's files; empty: use the digits
  std::size_t seeds = 10;                      // number of seeds for figures 1 and 2; figures 5, 7 and 8 use at most 3
  std::uint64_t first_seed = 1;
  std::size_t attacks = 200;         // number of runs for figure 6
  std::vector<std::string> figures;  // the figures to play; empty: all
  bool quick = false;                // true: play fewer settings, and private runs of only a few settings
  bool private_runs = true;          // false: no private runs, and so no figures 3 and 4

  [[nodiscard]] bool wants(const std::string& figure) const;
};

// Figures 3 and 4 of the paper: the cost of a step for several numbers of arms and parties. Table 1 of the paper: the
// cost of the step's operations compared with plain text.

// A step of the private bandit between processes, with all randomness dealt ahead.
struct HannunStepTime {
  std::size_t parties = 0;
  std::size_t arms = 0;
  std::uint64_t steps = 0;  // number of steps of the timed run
  double step_us = 0;
  double twin_us = 0;  // the plain-text twin's time for a step, in this process
};

[[nodiscard]] std::vector<HannunStepTime> measure_hannun_steps(const HannunWorld& world, bool quick,
                                                               const Runner& runner);

// An operation on 100 values between two parties.
struct HannunOperation {
  std::string name;
  std::string published_rounds;              // rounds in the paper's table 1
  std::optional<double> published_slowdown;  // slowdown in the paper's table 1
  std::uint64_t rounds = 0;
  double private_us = 0;
  double plain_us = 0;  // time of a loop over doubles

  [[nodiscard]] double slowdown() const { return private_us / plain_us; }
};

// Measures addition, multiplication (including the division by 2^20), the reciprocal and argmax.
[[nodiscard]] std::vector<HannunOperation> measure_hannun_operations(const std::atomic<bool>& interrupted);

// The number of rounds that the published reciprocal (include/sotto/protocol/math/published.h) takes in this engine.
[[nodiscard]] std::uint64_t published_reciprocal_rounds();

// The rewards of all runs with one epsilon.
struct HannunRewards {
  double epsilon = 0;
  std::vector<std::vector<double>> runs;          // [seed][mark]
  std::optional<HannunPrivateRun> private_run{};  // plays the rows in the order of the first seed

  [[nodiscard]] MeanAndSd at(std::size_t mark) const;
};

// Figure 5, for one number of k-means arms; rewards are averages over the whole sweep.
struct HannunArms {
  std::size_t arms = 0;
  double best = 0;
  double uniform = 0;
  std::vector<HannunRewards> rewards{};
};

// Figure 6, for one epsilon.
struct HannunAttacks {
  double epsilon = 0;
  std::vector<std::vector<MembershipAdvantage>> runs;          // [run][mark]
  std::vector<std::optional<MembershipAdvantage>> on_private;  // advantage on a private run's model, for each mark

  [[nodiscard]] MeanAndSd by_reward(std::size_t mark) const;
  [[nodiscard]] MeanAndSd by_reward_and_arm(std::size_t mark) const;
};

// Figures 7 and 8, for one setting.
struct HannunFixedPoint {
  FixedPointSettings settings;
  std::vector<double> rewards{};          // average reward over the whole sweep, one for each seed
  std::vector<std::uint64_t> failures{};  // number of failed divisions for each seed, over the whole sweep
};

struct HannunPaperRuns {
  HannunPaperOptions options;
  std::string data;  // "MNIST"
  bool is_mnist = false;
  std::size_t rows = 0;
  std::size_t held_out = 0;                    // number of held-out images for figure 6; 0: a third of the rows
  std::vector<std::uint64_t> marks;            // the recorded steps of figures 1 and 2
  std::vector<HannunRewards> rewards;          // figures 1 and 2
  std::vector<HannunArms> arms;                // figure 5
  std::vector<std::uint64_t> attack_marks;     // figure 6
  std::vector<HannunAttacks> attacks;          // figure 6
  std::vector<HannunFixedPoint> precision;     // figure 7
  std::vector<HannunPrivateRun> private_bits;  // figure 7, one for each number of bits
  std::vector<HannunFixedPoint> newton;        // figure 8
  std::vector<double> plain_rewards;           // figures 7 and 8: rewards of the twin (doubles), one for each seed
  std::vector<HannunStepTime> step_times;      // figures 3 and 4
  std::vector<HannunOperation> operations;     // table 1
  std::uint64_t published_rounds = 0;          // table 1: published_reciprocal_rounds()

  [[nodiscard]] std::optional<std::size_t> mark_of(std::uint64_t steps) const;
};

// Plays the figures. Throws InputError if there are no seeds or no attacks, if a figure is unknown, or if data cannot
// be read. Throws Interrupted and the errors of launch_local_run().
[[nodiscard]] HannunPaperRuns play_hannun_paper(const HannunPaperOptions& options, const Runner& runner);

// The page, with the figures as the paper draws them.
[[nodiscard]] ReportPage hannun_paper_page(const HannunPaperRuns& runs, const std::vector<FigureTable>& tables);
// The results of the runs: the table "checks", and a table for each figure that was played.
[[nodiscard]] Experiment hannun_paper(const HannunPaperRuns& runs);

// Checks the figures that were played.
[[nodiscard]] std::vector<Check> check_hannun(const HannunPaperRuns& runs);

// The name of one of the settings of figure 7: "published", "published, exact reciprocal", "unbiased", ...
[[nodiscard]] std::string hannun_arithmetic(const FixedPointSettings& settings);

// The figures that a reproduction must reach. An independent implementation computed the figures in double precision
// (figure 7: in integers), with other seeds. The paper draws its figures without numbers; the checks include the
// numbers in the paper's text.

struct HannunRewardReference {
  double epsilon;
  std::vector<double> means;  // mean reward after each of the steps
  double sd;                  // standard deviation over seeds at the last of the steps; 0: not known
};
struct HannunReference {
  std::size_t seeds;
  std::vector<std::uint64_t> steps;
  std::vector<HannunRewardReference> rewards;
};
// The reference for figures 1 and 2, for MNIST or the digits.
[[nodiscard]] const HannunReference& hannun_reference(bool is_mnist);

}  // namespace sotto::apps::lab
