#include "bench/lab/batches_paper/experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "apps/bandit/model/twin/plaintext.h"
#include "apps/bandit/run/local/launcher.h"
#include "apps/bandit/run/local/local.h"
#include "apps/kit/files/output_file.h"
#include "apps/kit/learn/tasks.h"
#include "core/text/count.h"

namespace sotto::apps::lab {

using namespace sotto::apps::bandit;
using namespace sotto::apps::bandit::run;
namespace {

BanditParameters parameters_of(const BatchSetting& setting, std::uint64_t events, std::size_t arms) {
  BanditParameters parameters;
  parameters.arms = arms;
  parameters.steps = events;
  parameters.batch = setting.batch;
  parameters.reward_lag = setting.delay * setting.batch;
  return parameters;
}

std::vector<BatchTurn> all_turns(BatchSchedule order) {
  std::vector<BatchTurn> turns;
  while (!order.done()) turns.push_back(order.next());
  return turns;
}

// The sizes are those of BatchSchedule, which begins with small batches where a lag as large as this one says so.
std::vector<EventRange> batches_of(const BatchSetting& setting, std::uint64_t events, std::size_t arms) {
  BatchSetting late = setting;
  late.delay = 40 * arms / setting.batch + 1;
  const BatchSchedule order =
      setting.warm_up ? BatchSchedule(parameters_of(late, events, arms)) : BatchSchedule::even(events, setting.batch);
  std::vector<EventRange> batches;
  for (const BatchTurn& turn : all_turns(order)) {
    if (!turn.learns) batches.push_back(turn.events);
  }
  return batches;
}

DataSet shortened(DataSet set, const BatchesOptions& options) {
  if (options.events) set.events = std::min(set.events, *options.events);
  return set;
}

std::vector<DataSet> data_sets(const BatchesOptions& options) {
  std::vector<DataSet> sets{shortened(digits_set(), options), shortened(glyph_set(), options)};
  if (!options.mnist.empty()) sets.push_back(shortened(mnist_set(options.mnist), options));
  return sets;
}

void play_twins(BatchesRuns& runs, const std::vector<DataSet>& sets,
                const std::function<void(const std::string&)>& progress, const std::atomic<bool>& interrupted) {
  const std::size_t seeds = runs.options.seeds;
  std::atomic<std::size_t> done{0};
  std::mutex line;
  run_tasks(runs.cells.size() * seeds, core_count(), interrupted, [&](std::size_t i) {
    BatchCell& cell = runs.cells[i / seeds];
    const DataSet& set = sets[cell.set];
    cell.twin[i % seeds] =
        play_turns(set, turns_of(cell.setting, set.events, set.data.arms), runs.options.first_seed + i % seeds);
    const std::size_t so_far = ++done;
    const std::lock_guard lock(line);
    progress(fmt::format("{} of {} in plain text", so_far, counted(runs.cells.size() * seeds, "run")));
  });
}

double private_reward(BanditOptions options, const DataSet& set, const BatchSetting& setting, std::uint64_t seed,
                      const std::atomic<bool>& interrupted) {
  options.run.steps = set.events;
  options.run.epsilon = batches_epsilon;
  options.run.batch = setting.batch;
  options.run.reward_lag = setting.delay * setting.batch;
  options.run.insecure_seed = seed;
  const LocalInputs inputs = read_local_inputs(options);
  LocalRun local;
  local.run = local_run_config(options, inputs, 0);
  local.data = options.parties;
  local.environment = options.environment;
  const LaunchOutcome outcome = launch_local_run(local, {}, interrupted);
  for (const RoleReport& report : outcome.reports) {
    if (report.average_reward) return *report.average_reward;
  }
  throw std::logic_error("no role has the rewards");
}

void play_private_runs(BatchesRuns& runs, const std::vector<DataSet>& sets,
                       const std::function<void(const std::string&)>& progress, const std::atomic<bool>& interrupted) {
  for (std::uint64_t seed = runs.options.first_seed; seed < runs.options.first_seed + runs.options.private_runs;
       ++seed) {
    for (std::size_t i = 0; i < sets.size(); ++i) {
      const LabelledData& data = sets[i].data;
      const PrivateFolder folder;
      const BanditOptions files = write_data(in_order(data, row_order(data, seed)), 2, folder.path());
      for (BatchCell& cell : runs.cells) {
        if (cell.set != i || !is_own_order(cell.setting, sets[i].events, data.arms)) continue;
        progress(fmt::format("private runs of seed {}: {}, {}", seed, sets[i].name, name_of(cell.setting)));
        cell.private_rewards.push_back(private_reward(files, sets[i], cell.setting, seed, interrupted));
      }
    }
  }
}

}  // namespace

std::string name_of(const BatchSetting& setting) {
  if (setting.batch == 1 && setting.delay == 0) return "one event at a time";
  std::string name = fmt::format("B = {}", setting.batch);
  if (setting.warm_up) name += ", warm-up";
  if (setting.delay == 0) return name;
  if (setting.unit == DelayUnit::batches) return name + fmt::format(", delay {}", setting.delay);
  return name + fmt::format(", lag {}", setting.delay * setting.batch);
}

std::vector<BatchSetting> batch_settings(bool quick) {
  std::vector<BatchSetting> settings{{1}, {16}, {64}, {256}, {1024}, {1024, 0, true}};
  for (const std::size_t delay : {1, 4}) {
    if (quick && delay > 1) break;
    for (const std::size_t batch : {16, 64, 256}) settings.push_back({batch, delay});
    settings.push_back({256, delay, true});
    settings.push_back({256, delay, true, DelayUnit::events});
  }
  return settings;
}

std::vector<BatchTurn> turns_of(const BatchSetting& setting, std::uint64_t events, std::size_t arms) {
  const std::vector<EventRange> batches = batches_of(setting, events, arms);
  std::vector<BatchTurn> turns;
  turns.reserve(2 * batches.size());
  std::size_t learned = 0;
  const auto is_due = [&](std::size_t decided) {
    if (decided == batches.size()) return true;
    if (setting.unit == DelayUnit::batches) return learned + setting.delay < decided;
    const EventRange& oldest = batches[learned];
    return oldest.first + oldest.count + setting.delay * setting.batch <= batches[decided].first;
  };
  for (std::size_t decided = 0; decided < batches.size();) {
    turns.push_back({false, batches[decided++]});
    for (; learned < decided && is_due(decided); ++learned) turns.push_back({true, batches[learned]});
  }
  return turns;
}

bool is_own_order(const BatchSetting& setting, std::uint64_t events, std::size_t arms) {
  return turns_of(setting, events, arms) == all_turns(BatchSchedule(parameters_of(setting, events, arms)));
}

BatchRun play_turns(const DataSet& set, const std::vector<BatchTurn>& turns, std::uint64_t seed) {
  const LabelledData& data = set.data;
  PlaintextBandit bandit(data.arms, data.features, batches_epsilon, seed);
  const std::vector<std::size_t> order = row_order(data, seed);
  const std::uint64_t last = set.events - set.events / 4;
  std::deque<std::size_t> pulled;  // not learned yet
  std::uint64_t earned = 0;
  std::uint64_t earned_last = 0;
  for (const auto& [learns, events] : turns) {
    for (std::uint64_t t = events.first; t < events.first + events.count; ++t) {
      const std::size_t row = order[t % data.rows];
      if (!learns) {
        pulled.push_back(bandit.select(data.context(row)));
        continue;
      }
      const bool right = data.labels[row] == pulled.front();
      bandit.update(data.context(row), pulled.front(), right ? 1 : 0);
      pulled.pop_front();
      earned += right ? 1 : 0;
      if (t >= last) earned_last += right ? 1 : 0;
    }
  }
  const auto of = [](std::uint64_t rewards, std::uint64_t count) {
    return static_cast<double>(rewards) / static_cast<double>(std::max<std::uint64_t>(1, count));
  };
  return {of(earned, set.events), of(earned_last, set.events / 4)};
}

MeanAndSd BatchCell::reward() const {
  std::vector<double> values;
  values.reserve(twin.size());
  for (const BatchRun& run : twin) values.push_back(run.reward);
  return mean_and_sd(values);
}

MeanAndSd BatchCell::last_quarter() const {
  std::vector<double> values;
  values.reserve(twin.size());
  for (const BatchRun& run : twin) values.push_back(run.last_quarter);
  return mean_and_sd(values);
}

double BatchCell::standard_error() const { return reward().sd / std::sqrt(static_cast<double>(twin.size())); }

const BatchCell* BatchesRuns::find(const std::string& set, const BatchSetting& setting) const {
  for (const BatchCell& cell : cells) {
    if (sets[cell.set].name == set && cell.setting == setting) return &cell;
  }
  return nullptr;
}

BatchesRuns play_batches(const BatchesOptions& options, const std::function<void(const std::string&)>& progress,
                         const std::atomic<bool>& interrupted) {
  progress("the data");
  const std::vector<DataSet> sets = data_sets(options);
  BatchesRuns runs;
  runs.options = options;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    const LabelledData& data = sets[i].data;
    runs.sets.push_back({sets[i].name, data.rows, data.features, data.arms, sets[i].events});
    for (const BatchSetting& setting : batch_settings(options.quick)) {
      runs.cells.push_back({i, setting, std::vector<BatchRun>(options.seeds), {}});
    }
  }
  play_twins(runs, sets, progress, interrupted);
  if (options.private_runs > 0) play_private_runs(runs, sets, progress, interrupted);
  return runs;
}

}  // namespace sotto::apps::lab
