#include <fmt/format.h>

#include "apps/bandit/run/log/estimates.h"
#include "tests/apps/support.h"

namespace sotto::apps::bandit::run::testing {
namespace {

LogWeights weights_of_all(const EventLog& log, const WeightRule& rule = {}) {
  return log_weights(log, rows_in_turn(log.rows(), log.rows(), false), 0, rule);
}

EventLog log_of_arms(const std::vector<std::pair<int, std::string>>& arms) {
  std::string text = "arm,reward,propensity\n";
  for (std::size_t arm = 0; arm < arms.size(); ++arm) {
    for (int i = 0; i < arms[arm].first; ++i) text += fmt::format("{},1,{}\n", arm, arms[arm].second);
  }
  const TestFolder folder;
  return EventLog::read(folder.put("log.csv", text), {.arms = arms.size()});
}

TEST(PropensityDoubts, RefuseWhatTheLogItselfRefutes) {
  const auto refusal = [](const EventLog& log, const WeightRule& rule = {}) {
    return error_of<InputError>([&] { return weights_of_all(log, rule); });
  };
  EXPECT_THAT(
      refusal(log_of_arms({{400, ".0333"}, {300, ".0333"}, {300, ".0333"}})),
      AllOf(HasSubstr("one number in all events says"), HasSubstr("30 arms to choose from, and 3 were played")));
  EXPECT_THAT(refusal(log_of_arms({{400, ".5"}, {300, ".5"}, {300, ".5"}})),
              AllOf(HasSubstr("2 arms to choose from, and 3 were played"), HasSubstr("--arms-offered")));
  EXPECT_THAT(refusal(log_of_arms({{400, ".1"}, {300, ".05"}, {300, ".2"}})), HasSubstr("these numbers say"));
  EXPECT_THAT(refusal(log_of_arms({{500, ".4"}, {500, ".4"}}), {.arms_offered = 3}),
              HasSubstr("2.5 arms to choose from, and 3 were offered"));
  EXPECT_THAT(refusal(log_of_arms({{400, ".33"}, {300, ".33"}, {300, ".33"}})),
              AllOf(HasSubstr("3.03 arms to choose from, and 3 were played"),
                    HasSubstr("with four digits at least (0.3333 where 3 arms are drawn alike)")));
  EXPECT_THAT(refusal(log_of_arms({20, {50, ".053"}})), HasSubstr("18.9 arms to choose from, and 20 were played"));
}

TEST(PropensityDoubts, TakeWhatCanBe) {
  EXPECT_TRUE(weights_of_all(log_of_arms({{400, ".333"}, {300, ".333"}, {300, ".333"}})).full_support);
  // The propensity is one over the number of arms, rounded to a few digits, as in usual files.
  for (const auto& [arms, propensity] : std::vector<std::pair<std::size_t, std::string>>{
           {6, ".167"}, {7, ".1429"}, {11, ".091"}, {13, ".077"}, {14, ".071"}, {15, ".067"}, {19, ".053"}}) {
    EXPECT_TRUE(weights_of_all(log_of_arms({arms, {100, propensity}})).full_support) << propensity;
  }
  EXPECT_FALSE(weights_of_all(log_of_arms({{400, "1"}, {600, "1"}})).full_support);
  EXPECT_FALSE(weights_of_all(log_of_arms({{300, ".5"}, {300, ".5"}, {400, ".5"}}), {.arms_offered = 2}).full_support);
  EXPECT_TRUE(weights_of_all(log_of_arms({{400, "1"}, {600, "1"}}), {.full_support = true}).full_support);
  EXPECT_FALSE(weights_of_all(log_of_arms({{500, ".5"}, {500, ".5"}, {0, ""}})).full_support);
  std::vector<std::pair<int, std::string>> many(100, {2, ".01"});
  for (std::size_t arm = 0; arm < 13; ++arm) many[arm] = arm < 6 ? std::pair{4, ".01"} : std::pair{0, ""};
  EXPECT_TRUE(weights_of_all(log_of_arms(many)).full_support);
}

TEST(PropensityDoubts, LookAtWhatTheLogSaysBeforeWeightsAreCut) {
  const WeightRule clips{.clips = true};
  const LogWeights weights = weights_of_all(log_of_arms({200, {5, ".005"}}), clips);
  EXPECT_TRUE(weights.full_support);
  EXPECT_EQ(weights.clipped, 1000u);
  EXPECT_EQ(weights.weights.front(), 100);
  EXPECT_THAT(error_of<InputError>([&] {
                return weights_of_all(log_of_arms({100, {10, ".004"}}), clips);
              }),
              HasSubstr("250 arms to choose from, and 100 were played"));
}

TEST(MeanWeights, AboveOneSayThatPropensitiesAreWrong) {
  const EventLog log = log_of_arms({{700, ".5"}, {299, ".5"}, {1, ".5001"}});
  LogWeights weights;
  weights.weights.assign(1000, 2);
  const std::vector<std::uint64_t> rows = rows_in_turn(1000, 1000, false);
  const EvaluatedLog evaluated{log, rows, 0, weights};
  const LogCells cells = log_cells(log, rows, 0, weights, 12, [] { return .5; });
  const std::vector<PolicyValue> values = policy_values({1000, {0, 500}}, evaluated, cells, {4, 1});
  for (std::size_t policy = 0; policy < 4; ++policy) {
    EXPECT_EQ(values[policy].support, Support::wrong_propensities);
    EXPECT_FALSE(values[policy].value || values[policy].bounds);
  }
  EXPECT_NEAR(values[1].mean_weight->value, 1.4, 1e-9);
  EXPECT_TRUE(values[4].value) << "the log earned what it earned";
}

}  // namespace
}  // namespace sotto::apps::bandit::run::testing
