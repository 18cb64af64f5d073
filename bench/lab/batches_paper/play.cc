#include <deque>
#include <stdexcept>

#include "apps/bandit/model/twin/plaintext.h"
#include "apps/bandit/run/local/launcher.h"
#include "apps/bandit/run/local/local.h"
#include "apps/kit/files/output_file.h"
#include "apps/kit/learn/seeded.h"
#include "apps/prepare/data/raw_data.h"
#include "bench/lab/batches_paper/batches.h"

namespace sotto::apps::lab {

using namespace sotto::apps::prepare;
using namespace sotto::apps::bandit;
using namespace sotto::apps::bandit::run;
namespace {

constexpr std::size_t components = 20;
constexpr std::uint64_t digits_events = 10'782;  // each row six times

LabelledData components_of(const RawData& raw) {
  return reduced(fit_pca(raw.features, components), raw.features, raw.labels);
}

constexpr std::size_t letters = 26;
constexpr std::size_t typefaces = 3;
constexpr std::size_t measures = 16;
constexpr double largest_measure = 15;
constexpr double spread_of_letters = 1.8;
constexpr double spread_of_typefaces = 2.0;
constexpr double spread_of_prints = 2.6;

class Normals {
 public:
  Normals(std::uint64_t seed, std::uint64_t stream) : stream_(seed, stream) {}
  double next() { return normal_pair(stream_).first; }
  std::uint64_t below(std::uint64_t n) { return stream_.below(n); }

 private:
  StepStream stream_;
};

// The result has the shape letters x typefaces x measures.
std::vector<double> shapes(std::uint64_t seed) {
  Normals draws(seed, 0);
  std::vector<double> all;
  all.reserve(letters * typefaces * measures);
  for (std::size_t letter = 0; letter < letters; ++letter) {
    std::vector<double> shape(measures);
    for (double& measure : shape) measure = largest_measure / 2 + spread_of_letters * draws.next();
    for (std::size_t typeface = 0; typeface < typefaces; ++typeface) {
      for (const double measure : shape) all.push_back(measure + spread_of_typefaces * draws.next());
    }
  }
  return all;
}

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

DataSet mnist_set(const std::filesystem::path& folder) {
  DataSet set{"MNIST", components_of(read_raw_mnist(folder)), 0};
  set.events = set.data.rows;
  return set;
}

std::vector<DataSet> data_sets(const BatchesOptions& options) {
  std::vector<DataSet> sets{shortened(digits_set(), options), shortened(glyph_set(), options)};
  if (!options.mnist.empty()) sets.push_back(shortened(mnist_set(options.mnist), options));
  return sets;
}

double private_reward(BanditOptions options, const DataSet& set, const BatchSetting& setting, std::uint64_t seed,
                      const std::atomic<bool>& interrupted) {
  options.run.steps = set.events;
  options.run.epsilon = batches_epsilon;
  options.run.batch = setting.batch;
  options.run.reward_lag = setting.delay * setting.batch;
  options.run.insecure_seed = seed;
  const LocalInputs inputs = read_local_inputs(options);
  const LaunchOutcome outcome =
      launch_local_run({local_run_config(options, inputs, 0), options.parties, options.environment}, {}, interrupted);
  for (const RoleReport& report : outcome.reports) {
    if (report.average_reward) return *report.average_reward;
  }
  throw std::logic_error("no role has the rewards");
}

void play_private_runs(BatchesRuns& runs, const std::vector<DataSet>& sets, const Runner& runner) {
  for (std::uint64_t seed = runs.options.first_seed; seed < runs.options.first_seed + runs.options.private_runs;
       ++seed) {
    for (std::size_t i = 0; i < sets.size(); ++i) {
      const LabelledData& data = sets[i].data;
      const PrivateFolder folder;
      const BanditOptions files = write_data(in_order(data, row_order(data, seed)), 2, folder.path());
      for (BatchCell& cell : runs.cells) {
        if (cell.set != i || !is_own_order(cell.setting, sets[i].events, data.arms)) continue;
        runner.report(fmt::format("private runs of seed {}: {}, {}", seed, sets[i].name, name_of(cell.setting)));
        cell.private_rewards.push_back(private_reward(files, sets[i], cell.setting, seed, runner.stop()));
      }
    }
  }
}

}  // namespace

std::vector<std::size_t> row_order(const LabelledData& data, std::uint64_t seed) {
  constexpr std::uint64_t order_stream = 0x9e3779b97f4a7c15;
  return SeededDraws(seed ^ order_stream).permutation(data.rows);
}

LabelledData in_order(const LabelledData& data, const std::vector<std::size_t>& order) {
  LabelledData result{data.rows, data.features, data.arms, {}, {}};
  result.contexts.reserve(data.contexts.size());
  result.labels.reserve(data.labels.size());
  for (const std::size_t row : order) {
    const auto context = data.context(row);
    result.contexts.insert(result.contexts.end(), context.begin(), context.end());
    result.labels.push_back(data.labels[row]);
  }
  return result;
}

DataSet digits_set() { return {"digits", components_of(read_raw_csv(shipped_digits(), "label")), digits_events}; }

DataSet glyph_set(std::uint64_t events, std::uint64_t seed) {
  const std::vector<double> printed = shapes(seed);
  DataSet set{"26 arms", {}, events};
  LabelledData& data = set.data;
  data.rows = static_cast<std::size_t>(events);
  data.features = measures + 1;
  data.arms = letters;
  data.contexts.reserve(data.rows * data.features);
  data.labels.reserve(data.rows);
  for (std::size_t row = 0; row < data.rows; ++row) {
    Normals draws(seed, 1 + row);
    const std::uint64_t letter = draws.below(letters);
    const std::size_t shape = (static_cast<std::size_t>(letter) * typefaces + draws.below(typefaces)) * measures;
    for (std::size_t i = 0; i < measures; ++i) {
      const double measure = std::round(printed[shape + i] + spread_of_prints * draws.next());
      data.contexts.push_back(std::clamp(measure, 0.0, largest_measure) / largest_measure - .5);
    }
    data.contexts.push_back(.5);
    data.labels.push_back(static_cast<std::uint32_t>(letter));
  }
  unit_norm(data.contexts, data.features);
  return set;
}

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
  std::deque<std::size_t> pulled;
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

MeanAndSd BatchCell::reward() const { return mean_over(twin, &BatchRun::reward); }
MeanAndSd BatchCell::last_quarter() const { return mean_over(twin, &BatchRun::last_quarter); }

const BatchCell* BatchesRuns::find(const std::string& set, const BatchSetting& setting) const {
  for (const BatchCell& cell : cells) {
    if (sets[cell.set].name == set && cell.setting == setting) return &cell;
  }
  return nullptr;
}

BatchesRuns play_batches(const BatchesOptions& options, const Runner& runner) {
  runner.report("the data");
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
  std::vector<Piece> pieces;
  for (BatchCell& cell : runs.cells) {
    for (std::size_t i = 0; i < options.seeds; ++i) {
      pieces.push_back({[&cell, &set = sets[cell.set], i, seed = options.first_seed + i] {
        cell.twin[i] = play_turns(set, turns_of(cell.setting, set.events, set.data.arms), seed);
      }});
    }
  }
  runner.play(std::move(pieces), "run", " in plain text");
  if (options.private_runs > 0) play_private_runs(runs, sets, runner);
  return runs;
}

}  // namespace sotto::apps::lab
