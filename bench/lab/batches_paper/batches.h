// `sotto-lab paper batches`: what the private bandit earns in batches of several sizes, with rewards that come late,
// beside one event at a time. Each setting is played by the plain-text twin for some seeds, and, where asked for, by
// private runs in which every role is a process.
//
// A delay counts batches: a batch is learned when so many further ones were decided. Runs of sotto have a lag that
// counts events, and decide by themselves whether they begin with small batches (BatchSchedule); where these are the
// same order of decisions and lessons, private runs are played beside the twin.
#pragma once

#include "apps/bandit/model/batch/batch_plan.h"
#include "bench/lab/experiment.h"
#include "bench/lab/measure/labelled_data.h"

namespace sotto::apps::lab {

// Contexts with labels, of norm 1, and how many events a run has.
struct DataSet {
  std::string name;
  LabelledData data;
  std::uint64_t events = 0;
};

// The order of the rows in the run of that seed: uniform, and not that of a file, whose neighbours are often alike.
// They are used in it and wrap round.
[[nodiscard]] std::vector<std::size_t> row_order(const LabelledData& data, std::uint64_t seed);
// The rows in that order.
[[nodiscard]] LabelledData in_order(const LabelledData& data, const std::vector<std::size_t>& order);

// The digits that come with sotto, 20 principal components. Throws InputError where they are not found.
[[nodiscard]] DataSet digits_set();

// 26 arms, made up: printed letters, each measured by 16 numbers from 0 to 15, and a constant. Every letter has a shape
// of its own in each of three typefaces; a print differs from it by normal noise and rounding. Equal seeds give equal
// prints on any machine.
[[nodiscard]] DataSet glyph_set(std::uint64_t events = 20'000, std::uint64_t seed = 1);

struct BatchesOptions {
  std::size_t seeds = 30;                 // runs of the twin for each setting
  std::uint64_t first_seed = 1;           // of the twin's runs and of the private ones; the next ones count on
  std::size_t private_runs = 0;           // for each setting
  std::filesystem::path mnist;            // a folder; empty: without MNIST
  bool quick = false;                     // without the largest delays
  std::optional<std::uint64_t> events{};  // fewer than the data sets have: nothing is compared then
};

inline constexpr double batches_epsilon = .1;

enum class DelayUnit : std::uint8_t { batches, events };

// One way to play.
struct BatchSetting {
  std::size_t batch = 1;
  std::size_t delay = 0;  // batches, or that many times `batch` events
  bool warm_up = false;   // small batches to begin with
  DelayUnit unit = DelayUnit::batches;

  friend bool operator==(const BatchSetting&, const BatchSetting&) = default;
};

// "one event at a time", "B = 64, delay 4", "B = 256, warm-up, lag 1024".
[[nodiscard]] std::string name_of(const BatchSetting& setting);

// The settings that are played; the first is one event at a time.
[[nodiscard]] std::vector<BatchSetting> batch_settings(bool quick);

// The order in which a run of that setting decides and learns. `events` is 1 at least.
[[nodiscard]] std::vector<bandit::BatchTurn> turns_of(const BatchSetting& setting, std::uint64_t events,
                                                      std::size_t arms);

// Whether `sotto bandit --batch B --reward-lag L` decides and learns in that order, L being `delay` batches.
[[nodiscard]] bool is_own_order(const BatchSetting& setting, std::uint64_t events, std::size_t arms);

// Average rewards of one run.
struct BatchRun {
  double reward = 0;
  double last_quarter = 0;  // of the last quarter of its events
};

// The plain-text twin, in that order, on the rows as row_order() has them for that seed.
[[nodiscard]] BatchRun play_turns(const DataSet& set, const std::vector<bandit::BatchTurn>& turns, std::uint64_t seed);

// A setting on a data set.
struct BatchCell {
  std::size_t set = 0;  // of BatchesRuns::sets
  BatchSetting setting;
  std::vector<BatchRun> twin;           // one a seed
  std::vector<double> private_rewards;  // empty: none was played

  [[nodiscard]] MeanAndSd reward() const;
  [[nodiscard]] MeanAndSd last_quarter() const;
  // Of the mean of the twin's runs.
  [[nodiscard]] double error() const { return standard_error(reward(), twin.size()); }
};

// What is known of a data set once it was played; its rows are gone.
struct PlayedSet {
  std::string name;
  std::size_t rows = 0;
  std::size_t features = 0;
  std::size_t arms = 0;
  std::uint64_t events = 0;
};

struct BatchesRuns {
  BatchesOptions options;
  std::vector<PlayedSet> sets;
  std::vector<BatchCell> cells;  // by set, then by setting

  // nullptr where it was not played.
  [[nodiscard]] const BatchCell* find(const std::string& set, const BatchSetting& setting) const;
};

// The results depend on the options, not on the number of threads. Errors: InputError for data that are not there,
// Interrupted, and those of launch_local_run().
[[nodiscard]] BatchesRuns play_batches(const BatchesOptions& options, const Runner& runner);

// What the runs came to: the tables checks and rewards.
[[nodiscard]] Experiment batches_paper(const BatchesRuns& runs);
// One a data set: reward against the size of a batch, a line a delay.
[[nodiscard]] std::vector<PageFigure> batches_charts(const BatchesRuns& runs);

// The average rewards that a reproduction must come to: computed beforehand by an independent implementation in double
// precision, with Newton-Schulz iterations in place of exact inverses, 20 seeds on the digits and 10 on MNIST. There is
// none for the made-up arms.
struct BatchReference {
  const char* set;
  BatchSetting setting;
  double mean;
  double error;  // standard error
};
[[nodiscard]] const std::vector<BatchReference>& batch_references();

// The difference of two means in its standard errors; 0 where both errors are 0 and the means are equal.
[[nodiscard]] double in_errors(double difference, double one_error, double other_error);

// The reference's rewards and last quarters; batches of 256 on the made-up arms; private runs beside the twin's.
// Nothing where the runs were cut short.
[[nodiscard]] std::vector<Check> check_batches(const BatchesRuns& runs);

}  // namespace sotto::apps::lab
