#include "bench/lab/batches_paper/result.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <utility>

#include "apps/kit/files/json.h"
#include "apps/kit/program/about.h"
#include "core/text/count.h"

namespace sotto::apps::lab {
namespace {

using nlohmann::ordered_json;

constexpr const char* within_note =
    "Means of the runs, and their standard errors in brackets. An average reward is within where it differs from the "
    "reference's by at most three standard errors of the difference; a last quarter where it is no further than three "
    "of "
    "its own from the reference's range; private runs where their mean is as near to the twin's. On the 26 arms, which "
    "are "
    "made up here, batches of 256 may earn .015 less than one event at a time.";

const BatchReference* reference_of(const PlayedSet& set, const BatchSetting& setting) {
  for (const BatchReference& reference : batch_references()) {
    if (reference.set == set.name && reference.setting == setting) return &reference;
  }
  return nullptr;
}

FigureTable rewards_table(const BatchesResult& result) {
  const BatchesRuns& runs = result.runs;
  FigureTable table("rewards",
                    fmt::format("Average reward, {} of the plain-text twin", counted(runs.options.seeds, "run")),
                    "set; setting; batch: B; delay; events; reward; error: s.e.; expected; expected_error: its s.e.; "
                    "difference: in s.e.; last_quarter: last quarter; last_quarter_error: s.e.; private_runs: private "
                    "runs; private_reward: private; private_difference: from the twin, in s.e.");
  for (const BatchCell& cell : runs.cells) {
    const PlayedSet& set = runs.sets[cell.set];
    const double root = std::sqrt(static_cast<double>(cell.twin.size()));
    const MeanAndSd reward = cell.reward();
    const MeanAndSd last = cell.last_quarter();
    std::optional<double> expected, expected_error, difference, private_reward, private_difference;
    const BatchReference* const reference = reference_of(set, cell.setting);
    if (reference != nullptr && !runs.options.events) {
      expected = reference->mean;
      expected_error = reference->error;
      difference = in_errors(reward.mean - reference->mean, cell.standard_error(), reference->error);
    }
    if (!cell.private_rewards.empty()) {
      private_reward = mean_and_sd(cell.private_rewards).mean;
      private_difference = in_errors(*private_reward - reward.mean, cell.standard_error(),
                                     reward.sd / std::sqrt(static_cast<double>(cell.private_rewards.size())));
    }
    table.add({set.name, name_of(cell.setting), cell.setting.batch, cell.setting.delay, set.events, reward.mean,
               cell.standard_error(), expected, expected_error, difference, last.mean, last.sd / root,
               cell.private_rewards.size(), private_reward, private_difference});
  }
  table.note(
      "Epsilon .1, 0/1 rewards. A delay is of so many batches, however small they are; a lag is of so many events, "
      "which is "
      "what --reward-lag counts. With warm-up the first batches are of the largest power of two up to 8 arms, and "
      "double "
      "as soon as two of them are at most half of the events before.");
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

}  // namespace

BatchesResult run_batches_paper(const BatchesOptions& options, const std::function<void(const std::string&)>& progress,
                                const std::atomic<bool>& interrupted) {
  const auto start = std::chrono::steady_clock::now();
  BatchesResult result;
  result.runs = play_batches(options, progress, interrupted);
  result.checks = check_batches(result.runs);
  result.seconds = seconds_since(start);
  return result;
}

std::string BatchesResult::verdict() const {
  std::string text = checks.empty() ? "Nothing was compared, the reference is for all events" : apps::verdict(checks);
  if (runs.options.mnist.empty()) text += "; MNIST was not played, give its folder with --mnist";
  return text;
}

std::vector<FigureTable> batches_tables(const BatchesResult& result) {
  return {check_table(result.checks, within_note), rewards_table(result)};
}

ordered_json to_json(const BatchesResult& result) {
  const BatchesOptions& options = result.runs.options;
  ordered_json json = experiment_json("batches", result.checks, result.verdict(), result.seconds, result.provenance,
                                      {{"seeds", options.seeds},
                                       {"first_seed", options.first_seed},
                                       {"private_runs", options.private_runs},
                                       {"epsilon", batches_epsilon},
                                       {"mnist", !options.mnist.empty()},
                                       {"quick", options.quick},
                                       {"insecure_coins", true}},
                                      batches_tables(result));
  for (const PlayedSet& set : result.runs.sets) {
    json["sets"].push_back({{"name", set.name},
                            {"rows", set.rows},
                            {"features", set.features},
                            {"arms", set.arms},
                            {"events", set.events}});
  }
  for (const BatchCell& cell : result.runs.cells) json["cells"].push_back(cell_json(result.runs, cell));
  return json;
}

std::string summary_text(const BatchesResult& result, const TextOptions&) {
  std::string text;
  for (const FigureTable& table : batches_tables(result)) text += table.to_text() + "\n";
  return text + result.verdict() + ".\n";
}

Page record_of(const BatchesResult& result) {
  return {
      "batches", "What batches earn",
      fmt::format("The private bandit in batches of several sizes, with rewards that come late, beside one event at a "
                  "time: average rewards of the plain-text twin and of private runs. {}.",
                  result.verdict()),
      result.provenance, batches_tables(result)};
}

}  // namespace sotto::apps::lab
