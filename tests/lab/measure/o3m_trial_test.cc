#include "sotto/bench/lab/measure/o3m_trial.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sotto/bench/lab/measure/o3m_tables.h"
#include "sotto/bench/lab/measure/textbook_bandit.h"
#include "sotto/core/error/errors.h"
#include "tests/apps/kit/learn/samples.h"

namespace sotto::apps {
namespace {

const std::atomic<bool> never{false};

TEST(O3mTrial, MeasuresWholeRoundsOfEverything) {
  for (const auto algorithm : {LinearAlgorithm::ucb, LinearAlgorithm::ts}) {
    const O3mFigures figures = measure_o3m({algorithm, 11, 3, 4}, 10, 7, never);
    EXPECT_GE(figures.steps, 10u);
    EXPECT_EQ(figures.joining_us.size(), 3u);
    EXPECT_EQ(figures.playing_us.size(), 3u);
    EXPECT_EQ(figures.twin_us.size(), 3u);
    EXPECT_EQ(figures.passive_us.size(), 3u);
    EXPECT_EQ(figures.textbook_us.size(), 7u);
    for (const auto& samples : {figures.joining_us, figures.playing_us, figures.twin_us,
                                figures.passive_us, figures.textbook_us}) {
      EXPECT_TRUE(std::all_of(samples.begin(), samples.end(), [](double us) { return us > 0; }));
    }
  }
}

TEST(O3mTrial, EndsWhenInterrupted) {
  const std::atomic<bool> now{true};
  EXPECT_THROW((void)measure_o3m({}, 1, 0, now), Interrupted);
}

// Both play alike where their noise is: ucb has none.
TEST(TextbookBandit, PullsTheArmsOfLinUcb) {
  LinearBanditOptions options;
  options.dimension = 6;
  options.arms = 4;
  LinearBandit bandit(options);
  TextbookBandit textbook(options);
  StepStream stream(1, 1);
  for (std::uint64_t t = 0; t < 200; ++t) {
    const std::vector<double> contexts = testing::directions(stream, 4, 6);
    const std::size_t arm = bandit.select(t, contexts);
    ASSERT_EQ(textbook.select(t, contexts), arm);
    const auto context = std::span(contexts).subspan(arm * 6, 6);
    bandit.update(context, contexts[0]);
    textbook.update(context, contexts[0]);
  }
}

TEST(TextbookBandit, PullsTheArmsOfLinTsWithoutNoise) {
  LinearBanditOptions options;
  options.algorithm = LinearAlgorithm::ts;
  options.dimension = 3;
  options.arms = 2;
  options.v = 0;
  TextbookBandit textbook(options);
  const std::vector<double> contexts = {1, 0, 0, 0, 1, 0};
  textbook.update(std::span(contexts).subspan(3, 3), 1);
  EXPECT_EQ(textbook.select(0, contexts), 1u);
}

O3mMeasurement measured(const O3mCase& what, double us) {
  return {what, {300, {us / 4, us / 2, 8 * us}, {us / 2, us, us / 4}, {us / 4}, {3}, {1000}}};
}

nlohmann::ordered_json targets(const O3mMeasurement& measurement) {
  return o3m_target_table({measurement}).to_json();
}

TEST(O3mTables, ShowMediansAndTheMeanWithRefreshes) {
  const auto row = o3m_time_table({measured({LinearAlgorithm::ts, 100, 10, 5}, 12)}).to_json()[0];
  EXPECT_EQ(row.at("algorithm"), "ts");
  EXPECT_EQ(row.at("active_us"), 12);
  EXPECT_EQ(row.at("joining_us"), 6);
  EXPECT_EQ(row.at("playing_us"), 6);
  EXPECT_EQ(row.at("playing_mean_us"), 7);
  EXPECT_EQ(row.at("times_the_twin"), 2);
  EXPECT_EQ(row.at("textbook_us"), 1000);
  O3mMeasurement without = measured({}, 12);
  without.figures.textbook_us.clear();
  EXPECT_TRUE(o3m_time_table({without}).to_json()[0].at("textbook_us").is_null());
}

TEST(O3mTables, CompareWithTheTargets) {
  EXPECT_EQ(targets(measured({LinearAlgorithm::ucb, 100, 10, 5}, 20))[0].at("met"), true);
  EXPECT_EQ(targets(measured({LinearAlgorithm::ucb, 100, 10, 5}, 21))[0].at("met"), false);
  EXPECT_EQ(targets(measured({LinearAlgorithm::ts, 1000, 100, 5}, 9'999))[0].at("met"), true);
  EXPECT_EQ(targets(measured({LinearAlgorithm::ts, 1000, 100, 5}, 10'001))[0].at("met"), false);
  EXPECT_TRUE(targets(measured({LinearAlgorithm::ts, 100, 10, 4}, 1)).empty());
  EXPECT_TRUE(targets(measured({LinearAlgorithm::ts, 100, 20, 5}, 1)).empty());
}

}  // namespace
}  // namespace sotto::apps
