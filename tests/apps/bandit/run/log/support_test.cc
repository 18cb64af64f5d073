// Logs of known truth, some of which gave an arm no chance or say wrong propensities: no interval may exclude the
// truth, and where support lacks there is no value.
#include <fmt/format.h>

#include <numeric>
#include <random>

#include "apps/bandit/run/log/estimates.h"
#include "tests/apps/support.h"
#include "tests/linear_algebra.h"

namespace sotto::apps::bandit::run::testing {
namespace {

using ArmShares = std::vector<double>;  // of each arm

enum class ExpectedModel { values, bounds, refused };

struct LogScene {
  const char* name = "";
  ExpectedModel expected = ExpectedModel::values;  // of the model
  std::size_t arms = 3;
  unsigned seed = 1;
  double softmax = 0;       // how much the log plays by a softmax of what arms earn
  double greedy = 0;        // how much it plays the best arm; the rest is uniform
  double claim = 0;         // instead of the propensity
  bool drops_arm = false;   // the last arm is not played in the part that is evaluated
  double gap = 0;           // the best arm is not played in so many contexts, and earns 1 there
  double from = 0, to = 1;  // the two rewards
  WeightRule rule{};
};

// A finite population of contexts, so that what policies earn is exact; logs are drawn from it.
class SceneWorld {
 public:
  static constexpr std::size_t features = 4;
  static constexpr std::size_t contexts = 400;
  static constexpr std::uint64_t learned = 500;
  static constexpr std::uint64_t events = 2500;

  explicit SceneWorld(const LogScene& scene) : scene_(scene), random_(scene.seed) {
    std::vector<std::vector<double>> directions(scene.arms);
    for (auto& direction : directions) direction = unit_vector(random_, features, 2.5);
    for (std::size_t i = 0; i < contexts; ++i) {
      population_.push_back(unit_vector(random_, features, .99));
      ArmShares scores;
      for (const auto& direction : directions) {
        scores.push_back(std::inner_product(direction.begin(), direction.end(), population_.back().begin(), 0.));
      }
      add_context(scores);
    }
  }

  struct Log {
    EventLog log;
    std::vector<std::size_t> contexts;  // of each event
  };
  [[nodiscard]] Log draw() {
    std::string text = "arm,reward,propensity\n";
    std::vector<std::size_t> drawn;
    for (std::uint64_t t = 0; t < events; ++t) {
      const std::size_t i = random_() % contexts;
      const ArmShares& shares = t < learned ? early_[i] : late_[i];
      const std::size_t arm = std::discrete_distribution<std::size_t>(shares.begin(), shares.end())(random_);
      const bool earns = std::bernoulli_distribution(chances_[i][arm])(random_);
      const double propensity = scene_.claim > 0 ? scene_.claim : shares[arm];
      text += fmt::format("{},{},{}\n", arm, earns ? scene_.to : scene_.from, propensity);
      drawn.push_back(i);
    }
    const TestFolder folder;
    return {EventLog::read(folder.put("log.csv", text), {.arms = scene_.arms}), std::move(drawn)};
  }
  [[nodiscard]] const std::vector<double>& context(std::size_t i) const { return population_[i]; }
  [[nodiscard]] double truth(const std::function<std::size_t(std::size_t context)>& policy) const {
    double sum = 0;
    for (std::size_t i = 0; i < contexts; ++i) sum += chances_[i][policy(i)];
    return scene_.from + (scene_.to - scene_.from) * sum / contexts;
  }

 private:
  void add_context(const ArmShares& scores) {
    const auto best = static_cast<std::size_t>(std::max_element(scores.begin(), scores.end()) - scores.begin());
    ArmShares chances;
    ArmShares early;
    double whole = 0;
    for (const double score : scores) whole += std::exp(score);
    for (std::size_t arm = 0; arm < scene_.arms; ++arm) {
      chances.push_back(1 / (1 + std::exp(-scores[arm])));
      const double uniform = (1 - scene_.softmax - scene_.greedy) / static_cast<double>(scene_.arms);
      early.push_back(uniform + scene_.softmax * std::exp(scores[arm]) / whole + (arm == best ? scene_.greedy : 0));
    }
    ArmShares late = early;
    if (scene_.drops_arm) late.back() = 0;
    if (early_.size() < scene_.gap * contexts) {
      late[best] = 0;
      chances[best] = 1;
    }
    const double left = std::accumulate(late.begin(), late.end(), 0.);
    for (double& share : late) share /= left;
    chances_.push_back(std::move(chances));
    early_.push_back(std::move(early));
    late_.push_back(std::move(late));
  }

  LogScene scene_;
  std::mt19937_64 random_;
  std::vector<std::vector<double>> population_;
  std::vector<ArmShares> chances_, early_, late_;  // by context
};

// Of each policy and log what is shown: three intervals, or bounds in their place. Bounds are counted by themselves as
// well.
struct ShownIntervals {
  int shown = 0, holds = 0;
  int bounds = 0, bounds_hold = 0;
  int values = 0;
};

void add(ShownIntervals& all, const PolicyValue& value, double truth) {
  all.values += value.has_value() ? 1 : 0;
  const auto holds = [&](double low, double high) { return low <= truth && truth <= high ? 1 : 0; };
  if (value.bounds) {
    ++all.bounds;
    all.bounds_hold += holds(value.bounds->low, value.bounds->high);
  }
  for (const auto& estimate : {value.ips, value.snips, value.robust}) {
    if (!estimate && !value.bounds) continue;
    ++all.shown;
    all.holds += estimate ? holds(estimate->low, estimate->high) : holds(value.bounds->low, value.bounds->high);
  }
}

constexpr int logs_of_a_scene = 40;

struct SceneOutcome {
  ShownIntervals model, arms;
  int refused = 0;
  int without_value = 0;  // arms that were never played
};

SceneOutcome outcome_of_scene(const LogScene& scene) {
  SceneWorld world(scene);
  SceneOutcome outcome;
  const std::vector<std::uint64_t> rows =
      rows_in_turn(SceneWorld::events, SceneWorld::events - SceneWorld::learned, false);
  for (int run = 0; run < logs_of_a_scene; ++run) {
    const auto [log, contexts] = world.draw();
    LogWeights weights;
    try {
      weights = log_weights(log, rows, SceneWorld::learned, scene.rule);
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr("column 'propensity'"));
      ++outcome.refused;
      continue;
    }
    PlaintextBandit bandit(scene.arms, SceneWorld::features, 0, 1);
    const auto context = [&world, &drawn = contexts](std::uint64_t row) {
      return std::span<const double>(world.context(drawn[row]));
    };
    const OpenedSums sums = plaintext_evaluation(bandit, context, log, rows, weights.weights, SceneWorld::learned);
    const std::vector<PolicyValue> values = policy_values(sums, log, rows, weights, SceneWorld::learned);
    const auto best = [&](std::size_t i) {
      const std::span<const double> scores = bandit.scores(world.context(i));
      return static_cast<std::size_t>(std::max_element(scores.begin(), scores.end()) - scores.begin());
    };
    add(outcome.model, values[0], world.truth(best));
    for (std::size_t arm = 0; arm < scene.arms; ++arm) {
      const PolicyValue& value = values[arm + 1];
      if (value.support == Support::not_played) {
        EXPECT_FALSE(value.ips || value.snips || value.robust || value.bounds);
        ++outcome.without_value;
      } else {
        add(outcome.arms, value, world.truth([&](std::size_t) { return arm; }));
      }
    }
  }
  return outcome;
}

// Of intervals that hold in 95 of 100 cases, so many of n hold but for three standard deviations. Intervals of a log go
// together: n is that of logs.
double fewest(int shown) { return shown * (.95 - 3 * std::sqrt(.05 * .95 / logs_of_a_scene)); }

class Supported : public ::testing::TestWithParam<LogScene> {};

TEST_P(Supported, ShowsNoIntervalWithoutTheTruth) {
  const LogScene& scene = GetParam();
  const SceneOutcome outcome = outcome_of_scene(scene);
  for (const ShownIntervals& all : {outcome.model, outcome.arms}) {
    EXPECT_GE(all.holds, fewest(all.shown));
    EXPECT_GE(all.bounds_hold, fewest(all.bounds));
  }
  EXPECT_EQ(outcome.refused, scene.expected == ExpectedModel::refused ? logs_of_a_scene : 0);
  EXPECT_EQ(outcome.without_value, scene.drops_arm ? logs_of_a_scene : 0);
  const bool has_values = scene.expected == ExpectedModel::values;
  EXPECT_GE(outcome.model.values, has_values ? logs_of_a_scene / 2 : 0);
  EXPECT_LE(outcome.model.values, has_values ? logs_of_a_scene : 0);
}

constexpr WeightRule with_stated_support{.full_support = true};

INSTANTIATE_TEST_SUITE_P(
    Logs, Supported,
    ::testing::Values(
        LogScene{.name = "Uniform", .arms = 5, .seed = 1}, LogScene{.name = "ByContext", .seed = 2, .softmax = .7},
        LogScene{.name = "ByContextAndStated", .seed = 2, .softmax = .7, .rule = with_stated_support},
        LogScene{.name = "Greedy", .seed = 3, .greedy = .85, .rule = with_stated_support},
        LogScene{.name = "Costs", .seed = 4, .softmax = .5, .from = -1, .to = 0, .rule = with_stated_support},
        LogScene{.name = "Amounts", .seed = 5, .softmax = .5, .from = 0, .to = 30, .rule = with_stated_support},
        LogScene{.name = "ArmThatIsGone", .expected = ExpectedModel::bounds, .seed = 7, .drops_arm = true},
        LogScene{.name = "Deterministic", .expected = ExpectedModel::bounds, .seed = 8, .greedy = 1},
        LogScene{.name = "WrongPropensity", .expected = ExpectedModel::refused, .seed = 9, .claim = 1. / 30},
        LogScene{.name = "OneHalfOfThree", .expected = ExpectedModel::refused, .seed = 10, .claim = .5},
        LogScene{.name = "GapWhereTheBestEarnsAll",
                 .expected = ExpectedModel::bounds,
                 .seed = 11,
                 .softmax = .5,
                 .gap = .15}),
    [](const auto& scene) { return scene.param.name; });

LogWeights weights_of_all(const EventLog& log, const WeightRule& rule = {}) {
  return log_weights(log, rows_in_turn(log.rows(), log.rows(), false), 0, rule);
}

// So many events of each arm, with these propensities and reward 1.
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
  // 20 are played, and 19 may have been drawn alike.
  EXPECT_THAT(refusal(log_of_arms({20, {50, ".053"}})), HasSubstr("18.9 arms to choose from, and 20 were played"));
}

TEST(PropensityDoubts, TakeWhatCanBe) {
  EXPECT_TRUE(weights_of_all(log_of_arms({{400, ".333"}, {300, ".333"}, {300, ".333"}})).full_support);
  // As files print one over the number of arms.
  for (const auto& [arms, propensity] : std::vector<std::pair<std::size_t, std::string>>{
           {6, ".167"}, {7, ".1429"}, {11, ".091"}, {13, ".077"}, {14, ".071"}, {15, ".067"}, {19, ".053"}}) {
    EXPECT_TRUE(weights_of_all(log_of_arms({arms, {100, propensity}})).full_support) << propensity;
  }
  EXPECT_FALSE(weights_of_all(log_of_arms({{400, "1"}, {600, "1"}})).full_support);
  EXPECT_FALSE(weights_of_all(log_of_arms({{300, ".5"}, {300, ".5"}, {400, ".5"}}), {.arms_offered = 2}).full_support);
  EXPECT_TRUE(weights_of_all(log_of_arms({{400, "1"}, {600, "1"}}), {.full_support = true}).full_support);
  // Two of three arms are played alike, and the third never.
  EXPECT_FALSE(weights_of_all(log_of_arms({{500, ".5"}, {500, ".5"}, {0, ""}})).full_support);
  // Many arms that are drawn alike: some are left out by chance.
  std::vector<std::pair<int, std::string>> many(100, {2, ".01"});
  for (std::size_t arm = 0; arm < 13; ++arm) many[arm] = arm < 6 ? std::pair{4, ".01"} : std::pair{0, ""};
  EXPECT_TRUE(weights_of_all(log_of_arms(many)).full_support);
}

// What is cut to a hundredth is one of 200 arms all the same.
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

// Arm 0 was played more often than its propensity allows: no policy has a value, and the others neither.
TEST(MeanWeights, AboveOneSayThatPropensitiesAreWrong) {
  const EventLog log = log_of_arms({{700, ".5"}, {299, ".5"}, {1, ".5001"}});
  OpenedSums sums;
  sums.events = 1000;
  sums.y = sums.w = 900;
  sums.yy = sums.yw = sums.ww = 1800;
  sums.arms.assign(3, 500);
  sums.arm_squares.assign(3, 500);
  LogWeights weights;
  weights.weights.assign(1000, 2);
  const std::vector<PolicyValue> values = policy_values(sums, log, rows_in_turn(1000, 1000, false), weights, 0);
  for (std::size_t policy = 0; policy < 4; ++policy) {
    EXPECT_EQ(values[policy].support, Support::wrong_propensities);
    EXPECT_FALSE(values[policy].ips || values[policy].snips || values[policy].robust || values[policy].bounds);
  }
  EXPECT_NEAR(values[1].mean_weight->value, 1.4, 1e-9);
  EXPECT_TRUE(values[4].ips) << "the log earned what it earned";
}

}  // namespace
}  // namespace sotto::apps::bandit::run::testing
