// `sotto-lab paper batches` compares average rewards of the private bandit. The bandit runs in batches of several
// sizes, with late rewards, or with one event at a time. The plain-text twin plays each setting with several seeds. If
// requested, private runs play each setting too, with every role in its own process.
//
// A delay is a number of batches: with delay 4, a batch is learned after 4 further batches were decided. A run of sotto
// has no delay but a lag, which is a number of events. A run of sotto also chooses by itself whether to start with
// small batches (BatchSchedule). Private runs are played only for the settings in which a run of sotto decides and
// learns in the same order as the twin.
#pragma once

#include "apps/bandit/model/batch/batch_plan.h"
#include "bench/lab/experiment.h"
#include "bench/lab/measure/labelled_data.h"

namespace sotto::apps::lab {

// Labelled contexts of norm 1, and the number of events that a run plays.
struct DataSet {
  std::string name;
  LabelledData data;
  std::uint64_t events = 0;
};

// The order in which the run with this seed plays the rows. The order is uniformly random, because neighbouring rows of
// a file are often similar. After the last row, the run starts again with the first.
[[nodiscard]] std::vector<std::size_t> row_order(const LabelledData& data, std::uint64_t seed);
// Returns the rows of `data` in the given order.
[[nodiscard]] LabelledData in_order(const LabelledData& data, const std::vector<std::size_t>& order);

// The digits that come with sotto, reduced to 20 principal components. Throws InputError if the digits are not found.
[[nodiscard]] DataSet digits_set();

// A made-up data set with 26 arms, one for each letter. A printed letter is described by 16 numbers from 0 to 15 and a
// constant. Each letter has a different shape in each of three typefaces, and a print differs from the shape by
// normally distributed noise and by rounding. With equal seeds, the prints are equal on any machine.
[[nodiscard]] DataSet glyph_set(std::uint64_t events = 20'000, std::uint64_t seed = 1);

struct BatchesOptions {
  std::size_t seeds = 30;        // runs of the twin for each setting
  std::uint64_t first_seed = 1;  // seed of the first twin run and of the first private run; later runs: the next seeds
  std::size_t private_runs = 0;  // private runs for each setting
  std::filesystem::path mnist;   // folder of MNIST's files; empty: without MNIST
  bool quick = false;            // true: leave out the largest delays
  std::optional<std::uint64_t> events{};  // play fewer events than the data sets have; nothing is then compared
};

inline constexpr double batches_epsilon = .1;

enum class DelayUnit : std::uint8_t { batches, events };

// A size of batches, a delay, and whether the run starts with small batches.
struct BatchSetting {
  std::size_t batch = 1;
  std::size_t delay = 0;  // if `unit` is batches: `delay` batches; if `unit` is events: `delay` times `batch` events
  bool warm_up = false;   // true: small batches at the start
  DelayUnit unit = DelayUnit::batches;

  friend bool operator==(const BatchSetting&, const BatchSetting&) = default;
};

// The name of a setting, such as "one event at a time", "B = 64, delay 4" or "B = 256, warm-up, lag 1024".
[[nodiscard]] std::string name_of(const BatchSetting& setting);

// The settings that are played; the first setting is one event at a time.
[[nodiscard]] std::vector<BatchSetting> batch_settings(bool quick);

// The order in which a run with this setting decides and learns. `events` is at least 1.
[[nodiscard]] std::vector<bandit::BatchTurn> turns_of(const BatchSetting& setting, std::uint64_t events,
                                                      std::size_t arms);

// Whether `sotto bandit --batch B --reward-lag L` decides and learns in the order of this setting, with L = `delay`
// batches.
[[nodiscard]] bool is_own_order(const BatchSetting& setting, std::uint64_t events, std::size_t arms);

// Average rewards of one run.
struct BatchRun {
  double reward = 0;
  double last_quarter = 0;  // average reward of the last quarter of the run's events
};

// Plays the plain-text twin, which decides and learns in the order of `turns`. The rows are played in the order that
// row_order() returns for `seed`.
[[nodiscard]] BatchRun play_turns(const DataSet& set, const std::vector<bandit::BatchTurn>& turns, std::uint64_t seed);

// The results of one setting on one data set.
struct BatchCell {
  std::size_t set = 0;  // index in BatchesRuns::sets
  BatchSetting setting;
  std::vector<BatchRun> twin;           // the twin's runs, one for each seed
  std::vector<double> private_rewards;  // average rewards of the private runs; empty: none was played

  [[nodiscard]] MeanAndSd reward() const;
  [[nodiscard]] MeanAndSd last_quarter() const;
  // The standard error of the mean of the twin's runs.
  [[nodiscard]] double error() const { return standard_error(reward(), twin.size()); }
};

// The facts about a data set that was played, without its rows.
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
  std::vector<BatchCell> cells;  // ordered by set, then by setting

  // Returns the cell, or nullptr if the cell was not played.
  [[nodiscard]] const BatchCell* find(const std::string& set, const BatchSetting& setting) const;
};

// Plays all settings. The results depend only on the options, not on the number of threads. Throws InputError if data
// are missing. Also throws Interrupted and the errors of launch_local_run().
[[nodiscard]] BatchesRuns play_batches(const BatchesOptions& options, const Runner& runner);

// The results of the runs, in two tables named "checks" and "rewards".
[[nodiscard]] Experiment batches_paper(const BatchesRuns& runs);
// One chart for each data set: reward against the size of a batch, with a line for each delay.
[[nodiscard]] std::vector<PageFigure> batches_charts(const BatchesRuns& runs);

// The average rewards that a reproduction must reach. An independent implementation in double precision computed these
// rewards beforehand, with Newton-Schulz iterations in place of exact inverses. The independent implementation used 20
// seeds on the digits and 10 seeds on MNIST. There is no reference for the made-up arms.
struct BatchReference {
  const char* set;
  BatchSetting setting;
  double mean;
  double error;  // standard error of the mean
};
[[nodiscard]] const std::vector<BatchReference>& batch_references();

// Divides a difference of two means by the standard error of the difference. The result is 0 for equal means, and
// infinite if the means differ but both standard errors are 0.
[[nodiscard]] double in_errors(double difference, double one_error, double other_error);

// Checks the average rewards, also of the last quarters of the runs, against the reference, and the private runs
// against the twin. Also checks how much average reward is lost on the made-up arms if batches have 256 events. Returns
// no checks if BatchesOptions::events shortened the runs.
[[nodiscard]] std::vector<Check> check_batches(const BatchesRuns& runs);

}  // namespace sotto::apps::lab
