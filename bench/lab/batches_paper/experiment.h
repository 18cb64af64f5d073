// The experiment of `sotto-lab paper batches`: what the private bandit earns in batches of several sizes, with rewards
// that come late, beside one event at a time. Each setting is played by the plain-text twin for some seeds, and, where
// asked for, by private runs in which every role is a process.
//
// A delay counts batches: a batch is learned when so many further ones were decided. Runs of sotto have a lag that
// counts events, and decide by themselves whether they begin with small batches (BatchSchedule); where these are the
// same order of decisions and lessons, private runs are played beside the twin.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "apps/bandit/model/batch/batch_plan.h"
#include "apps/kit/learn/mean.h"
#include "bench/lab/batches_paper/data_sets.h"

namespace sotto::apps::lab {

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
  [[nodiscard]] double standard_error() const;
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
[[nodiscard]] BatchesRuns play_batches(const BatchesOptions& options,
                                       const std::function<void(const std::string&)>& progress,
                                       const std::atomic<bool>& interrupted);

}  // namespace sotto::apps::lab
