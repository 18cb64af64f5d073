#include <limits>

#include "bench/lab/batches_paper/batches.h"

namespace sotto::apps::lab {
namespace {

// The largest allowed distance from a reference figure, in standard errors of the difference.
constexpr double most_errors = 3;
constexpr double most_lost = .015;

constexpr const char* digits = "digits";
constexpr const char* mnist = "MNIST";

struct LastQuarter {
  const char* set;
  double least;
  double most;
};
constexpr LastQuarter last_quarters[] = {{digits, .864, .869}, {mnist, .775, .778}};

std::string with_error(double mean, double error) { return fmt::format("{:.4f} ({:.4f})", mean, error); }

Check reward_check(const BatchCell& cell, const BatchReference& reference) {
  const double mean = cell.reward().mean;
  const double error = cell.error();
  const double away = in_errors(mean - reference.mean, error, reference.error);
  return {reference.set,
          name_of(reference.setting),
          "average reward",
          with_error(reference.mean, reference.error),
          fmt::format("{}, {:+.1f} s.e.", with_error(mean, error), away),
          std::abs(away) <= most_errors};
}

Check last_quarter_check(const BatchCell& cell, const LastQuarter& expected) {
  const MeanAndSd ours = cell.last_quarter();
  const double error = standard_error(ours, cell.twin.size());
  const double outside = std::max({expected.least - ours.mean, ours.mean - expected.most, 0.0});
  return {expected.set,
          name_of(cell.setting),
          "reward of the last quarter",
          fmt::format("{:.3f} to {:.3f}", expected.least, expected.most),
          with_error(ours.mean, error),
          outside <= most_errors * error};
}

void add_glyph_check(std::vector<Check>& checks, const BatchesRuns& runs) {
  const BatchSetting large{256};
  const BatchCell* const single = runs.find("26 arms", {1});
  const BatchCell* const batches = runs.find("26 arms", large);
  if (single == nullptr || batches == nullptr) return;
  const double least = single->reward().mean - most_lost;
  const double mean = batches->reward().mean;
  checks.push_back({"26 arms", name_of(large), "average reward", fmt::format("{:.4f} or more", least),
                    with_error(mean, batches->error()), mean >= least});
}

void add_private_check(std::vector<Check>& checks, const BatchesRuns& runs, const BatchCell& cell) {
  if (cell.private_rewards.empty()) return;
  const std::size_t count = cell.private_rewards.size();
  const double mean = mean_and_sd(cell.private_rewards).mean;
  const MeanAndSd twin = cell.reward();
  // Single runs of the private bandit and of the twin vary by the same amount. The check therefore uses the twin's
  // standard deviation for private runs too.
  const double error = standard_error(twin, count);
  const double away = in_errors(mean - twin.mean, error, cell.error());
  checks.push_back({runs.sets[cell.set].name, name_of(cell.setting), counted(count, "private run"),
                    with_error(twin.mean, cell.error()), fmt::format("{}, {:+.1f} s.e.", with_error(mean, error), away),
                    std::abs(away) <= most_errors});
}

using nlohmann::ordered_json;

constexpr const char* within_note =
    "Means of the runs, and their standard errors in brackets. An average reward is within where it differs from the "
    "reference's by at most three standard errors of the difference; a last quarter where it is no further than three "
    "of its own from the reference's range; private runs where their mean is as near to the twin's. On the 26 arms, "
    "which are made up here, batches of 256 may earn .015 less than one event at a time.";

const BatchReference* reference_of(const PlayedSet& set, const BatchSetting& setting) {
  for (const BatchReference& reference : batch_references()) {
    if (reference.set == set.name && reference.setting == setting) return &reference;
  }
  return nullptr;
}

FigureTable rewards_table(const BatchesRuns& runs) {
  FigureTable table("rewards",
                    fmt::format("Average reward, {} of the plain-text twin", counted(runs.options.seeds, "run")),
                    "set; setting; batch: B; delay; events; reward; error: s.e.; expected; expected_error: its s.e.; "
                    "difference: in s.e.; last_quarter: last quarter; last_quarter_error: s.e.; private_runs: private "
                    "runs; private_reward: private; private_difference: from the twin, in s.e.");
  for (const BatchCell& cell : runs.cells) {
    const PlayedSet& set = runs.sets[cell.set];
    const MeanAndSd reward = cell.reward();
    const MeanAndSd last = cell.last_quarter();
    std::optional<double> expected, expected_error, difference, private_reward, private_difference;
    const BatchReference* const reference = reference_of(set, cell.setting);
    if (reference != nullptr && !runs.options.events) {
      expected = reference->mean;
      expected_error = reference->error;
      difference = in_errors(reward.mean - reference->mean, cell.error(), reference->error);
    }
    if (!cell.private_rewards.empty()) {
      private_reward = mean_and_sd(cell.private_rewards).mean;
      private_difference =
          in_errors(*private_reward - reward.mean, cell.error(), standard_error(reward, cell.private_rewards.size()));
    }
    table.add({set.name, name_of(cell.setting), cell.setting.batch, cell.setting.delay, set.events, reward.mean,
               cell.error(), expected, expected_error, difference, last.mean, standard_error(last, cell.twin.size()),
               cell.private_rewards.size(), private_reward, private_difference});
  }
  table.note(
      "Epsilon .1, 0/1 rewards. A delay is of so many batches, however small they are; a lag is of so many events, "
      "which is what --reward-lag counts. With warm-up the first batches are of the largest power of two up to 8 arms, "
      "and double as soon as two of them are at most half of the events before.");
  table.note(
      "sotto begins small by itself where batch and lag together are above 40 arms. Private runs are played where it "
      "decides and learns in the very order of the row; a rule that it does not follow is played by the twin alone.");
  return table;
}

ordered_json cell_json(const BatchesRuns& runs, const BatchCell& cell) {
  ordered_json json{{"set", runs.sets[cell.set].name},
                    {"setting", name_of(cell.setting)},
                    {"batch", cell.setting.batch},
                    {"delay", cell.setting.delay},
                    {"delay_unit", cell.setting.unit == DelayUnit::batches ? "batches" : "times B events"},
                    {"warm_up", cell.setting.warm_up},
                    {"private_rewards", cell.private_rewards}};
  for (const BatchRun& run : cell.twin) {
    json["rewards"].push_back(run.reward);
    json["last_quarters"].push_back(run.last_quarter);
  }
  return json;
}

struct Line {
  const char* css_name;
  const char* name;
  const char* light;
  const char* dark;
  std::size_t delay;
  bool warm_up;
};

constexpr std::array lines{Line{"batch-now", "no delay", "#12406e", "#b6d7fa", 0, false},
                           Line{"batch-one", "delay 1", "#b8651b", "#e6a55c", 1, false},
                           Line{"batch-four", "delay 4", "#a3221a", "#ff9d94", 4, false},
                           Line{"batch-warm-now", "no delay, warm-up", "#8fb4d9", "#47698c", 0, true},
                           Line{"batch-warm-one", "delay 1, warm-up", "#2d6a4f", "#7bc8a0", 1, true},
                           Line{"batch-warm-four", "delay 4, warm-up", "#8a3d8f", "#d59bd9", 4, true}};

PageFigure chart_of(const BatchesRuns& runs, std::size_t set) {
  PageFigure figure{"Reward against the size of a batch: " + runs.sets[set].name,
                    "Means of the plain-text twin; shaded: one standard error.",
                    {.title = fmt::format("Average reward after {}", counted(runs.sets[set].events, "event")),
                     .x_label = "events of a batch",
                     .y_label = "average reward",
                     .series = {},
                     .log_x = true}};
  for (const Line& line : lines) {
    ChartSeries series{line.css_name, line.name, {}};
    for (const BatchCell& cell : runs.cells) {
      const BatchSetting& s = cell.setting;
      const bool on_it = s.delay == line.delay && s.warm_up == line.warm_up && s.unit == DelayUnit::batches;
      if (cell.set != set || !on_it) continue;
      series.points.push_back({static_cast<double>(s.batch), cell.reward().mean, cell.error()});
    }
    if (!series.points.empty()) figure.chart.series.push_back(std::move(series));
  }
  return figure;
}

std::vector<SeriesStyle> looks() {
  std::vector<SeriesStyle> all;
  all.reserve(lines.size());
  for (const Line& line : lines) all.push_back({line.css_name, line.light, line.dark});
  return all;
}

std::string verdict_of(const BatchesRuns& runs, const std::vector<Check>& checks) {
  std::string text = checks.empty() ? "Nothing was compared, the reference is for all events" : verdict(checks);
  if (runs.options.mnist.empty()) text += "; MNIST was not played, give its folder with --mnist";
  return text;
}

struct BatchesArguments {
  BatchesOptions options;
  std::uint64_t events = 0;
  Option* seeds = nullptr;
};

void declare_batches(Command& command, BatchesArguments& arguments) {
  BatchesOptions& options = arguments.options;
  arguments.seeds =
      command.add_option("--seeds", options.seeds, "Runs of the plain-text twin for each setting", whole(2, 10'000));
  add_first_seed(command, options.first_seed, "run");
  command.add_option("--private", options.private_runs, "Private runs next to each setting", whole(0, 1000));
  command.add_option("--mnist", options.mnist, "Folder of MNIST's files (scripts/get-mnist): plays it as well")
      ->type_name("DIR");
  command.add_option("--events", arguments.events, "No more events than this; nothing is compared then")
      ->number(whole(1, 1'000'000'000));
  command.add_flag("--quick", options.quick, "10 seeds unless --seeds says other, and no delay of 4 batches");
}

Play plan_batches(const BatchesArguments& arguments) {
  constexpr std::size_t few_seeds = 10;
  BatchesOptions options = arguments.options;
  if (options.quick && arguments.seeds->count() == 0) options.seeds = few_seeds;
  if (arguments.events > 0) options.events = arguments.events;
  return [options](const Runner& runner) { return batches_paper(play_batches(options, runner)); };
}

}  // namespace

const std::vector<BatchReference>& batch_references() {
  static const std::vector<BatchReference> references = {
      {digits, {1}, .832, .0018},
      {digits, {16}, .835, .002},
      {digits, {64}, .830, .003},
      {digits, {256}, .835, .001},
      {digits, {1024}, .781, .001},
      {digits, {1024, 0, true}, .823, .003},
      {digits, {16, 1}, .832, .002},
      {digits, {16, 4}, .830, .003},
      {digits, {64, 1}, .830, .002},
      {digits, {64, 4}, .822, .002},
      {digits, {256, 1}, .816, .001},
      {digits, {256, 4}, .757, .001},
      {digits, {256, 1, true}, .822, .002},
      {digits, {256, 4, true}, .788, .004},
      {mnist, {1}, .7676, .0005},
      {mnist, {64}, .7674, .0009},
      {mnist, {256}, .7689, .0007},
      {mnist, {1024}, .7589, .0006},
      {mnist, {1024, 0, true}, .7668, .0009},
      {mnist, {64, 1}, .7673, .0006},
      {mnist, {64, 4}, .7658, .0008},
      {mnist, {256, 1}, .7647, .0005},
      {mnist, {256, 4}, .7533, .0007},
      {mnist, {256, 1, true}, .7656, .0011},
      {mnist, {256, 4, true}, .7598, .0007},
  };
  return references;
}

double in_errors(double difference, double one_error, double other_error) {
  const double error = std::hypot(one_error, other_error);
  if (difference == 0) return 0;
  return error > 0 ? difference / error : std::copysign(std::numeric_limits<double>::infinity(), difference);
}

std::vector<Check> check_batches(const BatchesRuns& runs) {
  std::vector<Check> checks;
  if (runs.options.events) return checks;
  for (const BatchReference& reference : batch_references()) {
    const BatchCell* const cell = runs.find(reference.set, reference.setting);
    if (cell == nullptr) continue;
    checks.push_back(reward_check(*cell, reference));
    for (const LastQuarter& expected : last_quarters) {
      if (runs.sets[cell->set].name == expected.set) checks.push_back(last_quarter_check(*cell, expected));
    }
  }
  add_glyph_check(checks, runs);
  for (const BatchCell& cell : runs.cells) add_private_check(checks, runs, cell);
  return checks;
}

std::vector<PageFigure> batches_charts(const BatchesRuns& runs) {
  std::vector<PageFigure> charts;
  charts.reserve(runs.sets.size());
  for (std::size_t set = 0; set < runs.sets.size(); ++set) charts.push_back(chart_of(runs, set));
  return charts;
}

Experiment batches_paper(const BatchesRuns& runs) {
  const BatchesOptions& options = runs.options;
  Experiment experiment{"batches",
                        {{"seeds", options.seeds},
                         {"first_seed", options.first_seed},
                         {"private_runs", options.private_runs},
                         {"epsilon", batches_epsilon},
                         {"mnist", !options.mnist.empty()},
                         {"quick", options.quick},
                         {"insecure_coins", true}}};
  for (const PlayedSet& set : runs.sets) {
    experiment.rest["sets"].push_back({{"name", set.name},
                                       {"rows", set.rows},
                                       {"features", set.features},
                                       {"arms", set.arms},
                                       {"events", set.events}});
  }
  for (const BatchCell& cell : runs.cells) experiment.rest["cells"].push_back(cell_json(runs, cell));
  experiment.checks = check_batches(runs);
  experiment.must_pass = true;
  experiment.verdict = verdict_of(runs, experiment.checks);
  experiment.tables = {check_table(experiment.checks, within_note), rewards_table(runs)};
  ReportPage& page = experiment.page;
  page.title = "what batches earn";
  page.style = series_style(looks());
  page.eyebrow = fmt::format("sotto-lab paper batches &middot; {}, {}", counted(options.seeds, "seed"),
                             counted(options.private_runs, "private run"));
  page.heading = "What batches earn";
  page.about =
      "The private bandit decides many events at once and learns from them when their rewards have come. What size and "
      "delay cost, they cost in the beginning, when all scores tie: the last quarter of a run earns the same. Coins of "
      "these runs are drawn from seeds, so that they can be repeated; they protect nobody.";
  page.add_tables(std::span(experiment.tables).first(1));
  add_charts(page, batches_charts(runs));
  page.add_tables(std::span(experiment.tables).subspan(1));
  experiment.record = {
      "batches",
      "What batches earn",
      fmt::format("The private bandit in batches of several sizes, with rewards that come late, next to one event at a "
                  "time: average rewards of the plain-text twin and of private runs. {}.",
                  experiment.verdict),
      {},
      experiment.tables};
  return experiment;
}

void add_batches_paper_command(Command& paper) {
  add_experiment<BatchesArguments>(
      *paper.add_subcommand("batches", "Play the private bandit in batches, and compare what it earns"),
      "Writes batches.md next to report.html and run.json. Ends with exit code 1 where a figure is not within what was\n"
      "expected of it.\n"
      "Examples:\n"
      "  sotto-lab paper batches --quick\n"
      "  sotto-lab paper batches --mnist build/mnist --private 2 --out paper",
      declare_batches, plan_batches);
}

}  // namespace sotto::apps::lab
