// `sotto-lab paper batches` compares average rewards of the private bandit in batches of several sizes, with late
// rewards, and with one event at a time.
//
// A delay is a number of batches: with delay 4, a batch is learned after 4 further batches were decided. A private run
// is played only for settings with which sotto decides and learns the events in the same order as the plain-text twin.
#pragma once

#include "apps/bandit/model/batch/batch_plan.h"
#include "bench/lab/experiment.h"
#include "bench/lab/measure/labelled_data.h"

namespace sotto::apps::lab {

struct DataSet {
  std::string name;
  LabelledData data;
  std::uint64_t events = 0;
};

// The order is uniformly random, because neighbouring rows of a file are often similar.
[[nodiscard]] std::vector<std::size_t> row_order(const LabelledData& data, std::uint64_t seed);
[[nodiscard]] LabelledData in_order(const LabelledData& data, const std::vector<std::size_t>& order);

// The digits that come with sotto, with 20 principal components.
[[nodiscard]] DataSet digits_set();

// A made-up data set with one arm for each of 26 letters. A printed letter is 16 numbers from 0 to 15 and a constant.
[[nodiscard]] DataSet glyph_set(std::uint64_t events = 20'000, std::uint64_t seed = 1);

struct BatchesOptions {
  std::size_t seeds = 30;  // for each setting
  std::uint64_t first_seed = 1;
  std::size_t private_runs = 0;  // for each setting
  std::filesystem::path mnist;   // empty: without MNIST
  bool quick = false;
  std::optional<std::uint64_t> events{};  // if set, plays only this number of events of each data set, without checks
};

inline constexpr double batches_epsilon = .1;

enum class DelayUnit : std::uint8_t { batches, events };

struct BatchSetting {
  std::size_t batch = 1;
  std::size_t delay = 0;  // in batches; with DelayUnit::events, in multiples of `batch` events
  bool warm_up = false;
  DelayUnit unit = DelayUnit::batches;

  friend bool operator==(const BatchSetting&, const BatchSetting&) = default;
};

[[nodiscard]] std::string name_of(const BatchSetting& setting);

[[nodiscard]] std::vector<BatchSetting> batch_settings(bool quick);

// `events` is at least 1.
[[nodiscard]] std::vector<bandit::BatchTurn> turns_of(const BatchSetting& setting, std::uint64_t events,
                                                      std::size_t arms);

// Returns true if `sotto bandit --batch B --reward-lag L`, with L = `delay` batches, decides and learns the events in
// the same order as turns_of().
[[nodiscard]] bool is_own_order(const BatchSetting& setting, std::uint64_t events, std::size_t arms);

struct BatchRun {
  double reward = 0;
  double last_quarter = 0;
};

[[nodiscard]] BatchRun play_turns(const DataSet& set, const std::vector<bandit::BatchTurn>& turns, std::uint64_t seed);

struct BatchCell {
  std::size_t set = 0;
  BatchSetting setting;
  std::vector<BatchRun> twin;
  std::vector<double> private_rewards;  // empty: none was played

  [[nodiscard]] MeanAndSd reward() const;
  [[nodiscard]] MeanAndSd last_quarter() const;
  [[nodiscard]] double error() const { return standard_error(reward(), twin.size()); }
};

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
  std::vector<BatchCell> cells;

  [[nodiscard]] const BatchCell* find(const std::string& set, const BatchSetting& setting) const;
};

[[nodiscard]] BatchesRuns play_batches(const BatchesOptions& options, const Runner& runner);

[[nodiscard]] Experiment batches_paper(const BatchesRuns& runs);
[[nodiscard]] std::vector<PageFigure> batches_charts(const BatchesRuns& runs);

// The average rewards that a reproduction must reach, computed beforehand by an independent implementation in double
// precision. The independent implementation used 20 seeds on the digits and 10 seeds on MNIST.
struct BatchReference {
  const char* set;
  BatchSetting setting;
  double mean;
  double error;  // standard error of the mean
};
[[nodiscard]] const std::vector<BatchReference>& batch_references();

// A difference of two means, divided by the standard error of the difference. Infinite if the means differ but both
// standard errors are 0.
[[nodiscard]] double in_errors(double difference, double one_error, double other_error);

// Returns no checks if BatchesOptions::events shortened the runs.
[[nodiscard]] std::vector<Check> check_batches(const BatchesRuns& runs);

}  // namespace sotto::apps::lab
