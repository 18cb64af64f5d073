#include <cmath>
#include <numeric>
#include <set>

#include "apps/bandit/model/twin/plaintext.h"
#include "apps/kit/files/json.h"
#include "bench/lab/batches_paper/batches.h"
#include "tests/apps/support.h"

namespace sotto::apps::lab {

using namespace sotto::apps::bandit;
namespace {

constexpr DelayUnit in_events = DelayUnit::events;

// Returns an invented data set whose contexts are the unit vectors of `arms` axes. Arm i is the best arm for the unit
// vector of axis i.
DataSet axes(std::size_t arms, std::uint64_t events) {
  DataSet set{"axes", {arms, arms, arms, std::vector<double>(arms * arms, 0.0), {}}, events};
  for (std::size_t row = 0; row < arms; ++row) {
    set.data.contexts[row * arms + row] = 1;
    set.data.labels.push_back(static_cast<std::uint32_t>(row));
  }
  return set;
}

void expect_whole(const std::vector<BatchTurn>& turns, std::uint64_t events) {
  std::uint64_t decided = 0;
  std::uint64_t learned = 0;
  for (const auto& [learns, range] : turns) {
    std::uint64_t& next = learns ? learned : decided;
    EXPECT_EQ(range.first, next);
    EXPECT_GT(range.count, 0u);
    next += range.count;
    EXPECT_LE(learned, decided);
  }
  EXPECT_EQ(decided, events);
  EXPECT_EQ(learned, events);
}

TEST(BatchOrders, DecideAndLearnEveryEventOnce) {
  for (const BatchSetting& setting : batch_settings(false)) {
    for (const std::uint64_t events : {1u, 15u, 16u, 300u, 5000u}) {
      SCOPED_TRACE(name_of(setting) + ", " + std::to_string(events));
      expect_whole(turns_of(setting, events, 10), events);
    }
  }
}

// With a delay of d batches, a batch is learned after d further batches have been decided, or after all batches have
// been decided.
TEST(BatchOrders, CountDelaysInBatches) {
  for (const bool warm_up : {false, true}) {
    for (const std::size_t delay : {0u, 1u, 4u}) {
      const auto turns = turns_of({256, delay, warm_up}, 9000, 10);
      std::size_t decided = 0;
      std::size_t learned = 0;
      for (const BatchTurn& turn : turns) {
        ++(turn.learns ? learned : decided);
        EXPECT_LE(decided - learned, delay + 1);
        if (turn.learns && 2 * decided < turns.size()) {
          EXPECT_EQ(decided - learned, delay);
        }
      }
      EXPECT_EQ(turns.front().events.count, warm_up ? 64u : 256u);
    }
  }
}

TEST(BatchOrders, AreThoseOfRunsWhereTheyAgree) {
  const auto own = [](const BatchSetting& setting, std::size_t arms) { return is_own_order(setting, 10'782, arms); };
  EXPECT_TRUE(own({1}, 10));
  EXPECT_TRUE(own({256}, 10));
  EXPECT_FALSE(own({1024}, 10));
  EXPECT_TRUE(own({1024}, 26));
  EXPECT_TRUE(own({1024, 0, true}, 10));
  EXPECT_FALSE(own({1024, 0, true}, 26));
  EXPECT_TRUE(own({64, 4}, 10));
  EXPECT_FALSE(own({256, 1}, 10));
  EXPECT_TRUE(own({256, 1}, 26));
  EXPECT_FALSE(own({256, 4, true}, 10));
  EXPECT_TRUE(own({256, 4, true, in_events}, 10));
  EXPECT_TRUE(own({256, 4, true, in_events}, 26));
}

TEST(BatchOrders, HaveNames) {
  EXPECT_EQ(name_of({1}), "one event at a time");
  EXPECT_EQ(name_of({64, 4}), "B = 64, delay 4");
  EXPECT_EQ(name_of({1024, 0, true}), "B = 1024, warm-up");
  EXPECT_EQ(name_of({256, 4, true, in_events}), "B = 256, warm-up, lag 1024");
  std::set<std::string> names;
  for (const BatchSetting& setting : batch_settings(false)) names.insert(name_of(setting));
  EXPECT_EQ(names.size(), batch_settings(false).size());
  EXPECT_LT(batch_settings(true).size(), batch_settings(false).size());
}

TEST(RowOrder, IsAPermutationOfItsSeed) {
  const LabelledData data = make_data(50, 3, 4, 1);
  std::vector<std::size_t> order = row_order(data, 7);
  EXPECT_EQ(order, row_order(data, 7));
  EXPECT_NE(order, row_order(data, 8));
  const LabelledData ordered = in_order(data, order);
  for (std::size_t row = 0; row < 50; ++row) {
    EXPECT_TRUE(std::ranges::equal(ordered.context(row), data.context(order[row])));
    EXPECT_EQ(ordered.labels[row], data.labels[order[row]]);
  }
  std::sort(order.begin(), order.end());
  std::vector<std::size_t> all(50);
  std::iota(all.begin(), all.end(), std::size_t{0});
  EXPECT_EQ(order, all);
}

TEST(GlyphSet, HasAllArmsAndRepeats) {
  const DataSet set = glyph_set(2000);
  EXPECT_EQ(set.data.rows, 2000u);
  EXPECT_EQ(set.data.features, 17u);
  EXPECT_EQ(set.data.arms, 26u);
  EXPECT_EQ(std::set(set.data.labels.begin(), set.data.labels.end()).size(), 26u);
  for (std::size_t row = 0; row < 2000; ++row) {
    double square = 0;
    for (const double x : set.data.context(row)) square += x * x;
    EXPECT_NEAR(square, 1, 1e-12);
    EXPECT_GT(set.data.context(row).back(), 0);  // the constant feature, which was positive before scaling
  }
  EXPECT_EQ(glyph_set(2000).data.contexts, set.data.contexts);
  EXPECT_NE(glyph_set(2000, 2).data.contexts, set.data.contexts);
  const DataSet longer = glyph_set(3000);
  EXPECT_TRUE(std::equal(set.data.labels.begin(), set.data.labels.end(), longer.data.labels.begin()));
}

TEST(DigitsSet, HasTheComponentsOfAllRows) {
  const DataSet set = digits_set();
  EXPECT_EQ(set.data.rows, 1797u);
  EXPECT_EQ(set.data.features, 20u);
  EXPECT_EQ(set.data.arms, 10u);
  EXPECT_EQ(set.events, 6 * set.data.rows);
}

TEST(PlayTurns, IsTheTwinOfARun) {
  const DataSet set = axes(4, 2000);
  for (const BatchSetting& setting : {BatchSetting{1}, {16}, {64, 1}}) {
    ASSERT_TRUE(is_own_order(setting, set.events, 4));
    const BatchRun run = play_turns(set, turns_of(setting, set.events, 4), 3);
    const LabelledData rows = in_order(set.data, row_order(set.data, 3));
    BanditParameters parameters;
    parameters.arms = 4;
    parameters.steps = set.events;
    parameters.batch = setting.batch;
    parameters.reward_lag = setting.delay * setting.batch;
    const PlaintextRun twin =
        run_plaintext([&](std::uint64_t t) { return rows.context(t % 4); },
                      [&](std::uint64_t t, std::size_t arm) { return rows.labels[t % 4] == arm ? 1.0 : 0.0; },
                      BatchSchedule(parameters), 4, 4, batches_epsilon, 3);
    EXPECT_DOUBLE_EQ(run.reward, twin.average_reward);
    EXPECT_NEAR(run.last_quarter, 1 - batches_epsilon * 3 / 4, .07);  // averaged over 500 events
    EXPECT_EQ(run.reward, play_turns(set, turns_of(setting, set.events, 4), 3).reward);
    EXPECT_NE(run.reward, play_turns(set, turns_of(setting, set.events, 4), 4).reward);
  }
}

// Returns runs in which every cell has the mean that `mean` returns, with a standard error of .001.
BatchesRuns runs_at(const std::function<double(const std::string&, const BatchSetting&)>& mean) {
  BatchesRuns runs;
  runs.options.seeds = 4;
  runs.sets = {
      {"digits", 1797, 20, 10, 10'782}, {"26 arms", 20'000, 17, 26, 20'000}, {"MNIST", 60'000, 20, 10, 60'000}};
  for (std::size_t set = 0; set < runs.sets.size(); ++set) {
    for (const BatchSetting& setting : batch_settings(false)) {
      const double at = mean(runs.sets[set].name, setting);
      const double off = .001 * std::sqrt(3.0);
      const double last = set == 0 ? .866 : .776;
      runs.cells.push_back(
          {set, setting, {{at + off, last}, {at - off, last}, {at + off, last}, {at - off, last}}, {}});
    }
  }
  return runs;
}

double referred(const std::string& set, const BatchSetting& setting) {
  for (const BatchReference& reference : batch_references()) {
    if (reference.set == set && reference.setting == setting) return reference.mean;
  }
  return .43;
}

TEST(BatchChecks, PassAtTheReference) {
  const std::vector<Check> checks = check_batches(runs_at(referred));
  EXPECT_EQ(checks.size(), 2 * batch_references().size() + 1);
  for (const Check& check : checks) EXPECT_TRUE(check.passed) << check.figure << " " << check.setting;
}

TEST(BatchChecks, FailBeyondThreeErrorsOfTheDifference) {
  for (const BatchReference& reference : batch_references()) {
    const double error = std::hypot(.001, reference.error);
    for (const auto& [times, passes] : {std::pair{2.99, true}, {-2.99, true}, {3.01, false}, {-3.01, false}}) {
      const BatchesRuns runs = runs_at([&, off = times * error](const std::string& set, const BatchSetting& setting) {
        const bool this_one = set == reference.set && setting == reference.setting;
        return referred(set, setting) + (this_one ? off : 0);
      });
      std::size_t failed = 0;
      for (const Check& check : check_batches(runs)) failed += check.passed ? 0 : 1;
      EXPECT_EQ(failed, passes ? 0u : 1u) << reference.set << " " << name_of(reference.setting);
    }
  }
}

TEST(BatchChecks, FailWhereTheLastQuarterOrTheMadeUpArmsLose) {
  BatchesRuns runs = runs_at(referred);
  for (BatchRun& run : runs.cells.front().twin) run.last_quarter = .85;
  EXPECT_FALSE(check_batches(runs)[1].passed);
  const auto lost = [](double by) {
    return check_batches(runs_at([&](const std::string& set, const BatchSetting& setting) {
      return referred(set, setting) - (set == "26 arms" && setting == BatchSetting{256} ? by : 0);
    }));
  };
  EXPECT_TRUE(lost(.0149).back().passed);
  EXPECT_FALSE(lost(.0151).back().passed);
}

TEST(BatchChecks, SetPrivateRunsBesideTheTwin) {
  BatchesRuns runs = runs_at(referred);
  const double error = .002 * std::sqrt(1.0 / 2 + 1.0 / 4);  // single runs deviate by .002
  for (const auto& [times, passes] : {std::pair{2.9, true}, {3.1, false}}) {
    const double mean = referred("digits", {1}) + times * error;
    runs.cells.front().private_rewards = {mean - .01, mean + .01};
    const std::vector<Check> checks = check_batches(runs);
    EXPECT_EQ(checks.back().quantity, "2 private runs");
    EXPECT_EQ(checks.back().passed, passes);
  }
}

TEST(BatchChecks, CompareNothingWhereRunsWereCutShort) {
  BatchesRuns runs = runs_at(referred);
  runs.options.events = 100;
  const Experiment result = batches_paper(runs);
  EXPECT_TRUE(result.checks.empty());
  EXPECT_THAT(result.verdict, AllOf(HasSubstr("Nothing was compared"), HasSubstr("--mnist")));
}

TEST(BatchPages, HaveAChartForEachSet) {
  const Experiment result = batches_paper(runs_at(referred));
  const std::vector<PageFigure> charts = batches_charts(runs_at(referred));
  ASSERT_EQ(charts.size(), 3u);
  EXPECT_EQ(charts[0].chart.series.size(), 6u);
  EXPECT_EQ(charts[0].chart.series[0].points.size(), 5u);
  EXPECT_THAT(report_html(result),
              AllOf(HasSubstr("Reward against the size of a batch: MNIST"), HasSubstr("51 of 51")));
  EXPECT_THAT(to_markdown(result.record.value()),
              AllOf(HasSubstr("# What batches earn"), HasSubstr("| digits | B = 256, delay 4 |")));
  const nlohmann::ordered_json json = to_json(result);
  EXPECT_EQ(json.at("cells").size(), 3 * batch_settings(false).size());
  const auto& row = json.at("tables").at("rewards").at(3);
  EXPECT_EQ(row.at("setting"), "B = 256");
  EXPECT_NEAR(row.at("error").get<double>(), .001, 1e-12);
  EXPECT_NEAR(row.at("difference").get<double>(), 0, 1e-9);
}

TEST(InErrors, AreOfTheDifference) {
  EXPECT_DOUBLE_EQ(in_errors(.5, .3, .4), 1);
  EXPECT_EQ(in_errors(0, 0, 0), 0);
  EXPECT_EQ(in_errors(-1, 0, 0), -std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace sotto::apps::lab
