// The tests evaluate generated logs, for which the true values of all policies are known. The printed intervals must
// contain the true values. The tests run no protocol: they compute the exact counts and add the noise of two parties.
// evaluation_test.cc tests that the protocol opens the same counts.
#include <fmt/format.h>

#include <bit>
#include <numeric>
#include <random>

#include "apps/bandit/run/log/estimates.h"
#include "apps/bandit/run/log/segments.h"
#include "apps/bandit/run/sites/site.h"
#include "tests/apps/support.h"
#include "tests/linear_algebra.h"

namespace sotto::apps::bandit::run::testing {
namespace {

using ArmShares = std::vector<double>;

enum class ExpectedModel { values, bounds, refused, either };

struct LogScene {
  const char* name = "";
  ExpectedModel expected = ExpectedModel::values;
  std::size_t arms = 3;
  unsigned seed = 1;
  double softmax = 0;      // the fraction of events in which a softmax of the arms' earnings draws the arm
  double greedy = 0;       // the fraction of events in which the best arm is played; the other events draw uniformly
  double claim = 0;        // a wrong propensity that the log states; 0: the right propensity
  bool drops_arm = false;  // the last arm is not played in the evaluated part
  double gap = 0;          // the fraction of contexts in which the best arm earns 1 and is never played
  double from = 0, to = 1;
  bool is_cost = false;  // rewards are any numbers from -1 to 0
  double base = 0;       // log odds of a reward of 1
  std::uint64_t events = 2000;
  std::uint64_t rows = 1;  // number of consecutive rows of a subject
  bool is_noisiest = false;
  std::size_t segments = 0;
  WeightRule rule{};
};

// Generates logs from 400 fixed contexts, so the expected reward of each policy can be computed exactly.
class SceneWorld {
 public:
  static constexpr std::size_t features = 4;
  static constexpr std::size_t contexts = 400;
  static constexpr std::uint64_t learned = 500;

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
    std::vector<std::size_t> contexts;
  };
  [[nodiscard]] Log draw() {
    std::string text = "arm,reward,propensity,segment\n";
    std::vector<std::size_t> drawn;
    for (std::uint64_t t = 0; t < learned + scene_.events; ++t) {
      const std::size_t i = t % scene_.rows == 0 ? random_() % contexts : drawn.back();
      const ArmShares& shares = t < learned ? early_[i] : late_[i];
      const std::size_t arm = std::discrete_distribution<std::size_t>(shares.begin(), shares.end())(random_);
      text += fmt::format("{},{},{},{}\n", arm, reward(chances_[i][arm]), scene_.claim > 0 ? scene_.claim : shares[arm],
                          segment_of(i));
      drawn.push_back(i);
    }
    const TestFolder folder;
    LogExpectation expected{.arms = scene_.arms};
    if (scene_.segments > 0) expected.segment = "segment";
    return {EventLog::read(folder.put("log.csv", text), expected), std::move(drawn)};
  }
  // Half of the contexts are in segment 0, a quarter in segment 1, and so on.
  [[nodiscard]] std::size_t segment_of(std::size_t i) const {
    return scene_.segments == 0 ? 0 : std::min<std::size_t>(std::countr_zero(i + 1), scene_.segments - 1);
  }
  [[nodiscard]] const std::vector<double>& context(std::size_t i) const { return population_[i]; }
  [[nodiscard]] double truth(const std::function<std::size_t(std::size_t context)>& policy,
                             std::optional<std::size_t> segment = {}) const {
    double sum = 0;
    double count = 0;
    for (std::size_t i = 0; i < contexts; ++i) {
      if (segment && segment_of(i) != *segment) continue;
      sum += mean_reward(chances_[i][policy(i)]);
      ++count;
    }
    return sum / count;
  }

 private:
  static constexpr double cost_spread = 4;
  static constexpr double cost_floor = .2;

  [[nodiscard]] double mean_reward(double chance) const {
    if (scene_.is_cost) return -(cost_spread * chance + cost_floor) / (cost_spread + 2 * cost_floor);
    return scene_.from + (scene_.to - scene_.from) * chance;
  }
  [[nodiscard]] double reward(double chance) {
    if (!scene_.is_cost) return std::bernoulli_distribution(chance)(random_) ? scene_.to : scene_.from;
    const double a = std::gamma_distribution<double>(cost_spread * chance + cost_floor)(random_);
    const double b = std::gamma_distribution<double>(cost_spread * (1 - chance) + cost_floor)(random_);
    return -a / (a + b);
  }

  void add_context(const ArmShares& scores) {
    const auto best = static_cast<std::size_t>(std::max_element(scores.begin(), scores.end()) - scores.begin());
    ArmShares chances;
    ArmShares early;
    double whole = 0;
    for (const double score : scores) whole += std::exp(score);
    for (std::size_t arm = 0; arm < scene_.arms; ++arm) {
      chances.push_back(1 / (1 + std::exp(-scores[arm] - scene_.base)));
      const double uniform = (1 - scene_.softmax - scene_.greedy) / static_cast<double>(scene_.arms);
      early.push_back(uniform + scene_.softmax * std::exp(scores[arm]) / whole + (arm == best ? scene_.greedy : 0));
    }
    ArmShares late = early;
    if (scene_.drops_arm) late.back() = 0;
    if (static_cast<double>(early_.size()) < scene_.gap * contexts) {
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
  std::vector<ArmShares> chances_, early_, late_;
};

struct ShownIntervals {
  int shown = 0, hold = 0;
  int values = 0, bounds = 0, bounds_hold = 0;
};

void add(ShownIntervals& all, const PolicyValue& value, double truth) {
  if (!value.value && !value.bounds) return;
  const double low = value.value ? value.value->low : value.bounds->low;
  const double high = value.value ? value.value->high : value.bounds->high;
  ++all.shown;
  const int holds = low <= truth && truth <= high ? 1 : 0;
  all.hold += holds;
  all.values += value.value ? 1 : 0;
  if (!value.value) {
    ++all.bounds;
    all.bounds_hold += holds;
  }
}

struct SceneOutcome {
  ShownIntervals model, arms, segments;
  int interval_says_yes = 0, bit_says_yes = 0;
  int refused = 0;
  int without_value = 0;  // number of arms that were never played
};

OpenedCounts noised(const std::vector<bool>& agreements, const LogCells& cells, const CountPrivacy& privacy,
                    std::uint64_t seed) {
  OpenedCounts counts{agreements.size(), std::vector<std::int64_t>(cells.count(), 0)};
  for (std::size_t i = 0; i < agreements.size(); ++i) counts.agreed[cells.of_event[i]] += agreements[i] ? 1 : 0;
  for (std::uint64_t party = 0; party < 2; ++party) {
    std::vector<std::uint64_t> noise(cells.count());
    OwnNoise(privacy, Coins::insecure(2 * seed + party)).draw_noise(noise);
    for (std::size_t cell = 0; cell < noise.size(); ++cell) {
      counts.agreed[cell] += static_cast<std::int64_t>(noise[cell]);
    }
  }
  return counts;
}

bool bit_of(const OpenedCounts& counts, const EvaluatedLog& evaluated, const LogCells& cells,
            const CountNoiseTerms& noise) {
  const CountQuestion asked = bit_question(evaluated, cells, noise).question;
  double sum = 0;
  for (std::size_t cell = 0; cell < cells.count(); ++cell) {
    EXPECT_LE(std::abs(asked.factors[cell]), 1);
    sum += asked.factors[cell] * static_cast<double>(counts.agreed[cell]);
  }
  EXPECT_LE(std::abs(asked.threshold), 4 * static_cast<double>(counts.events));
  return sum > asked.threshold;
}

bool interval_beats_log(const std::vector<PolicyValue>& values, bool full_support) {
  const PolicyValue& model = values.front();
  const double log = values.back().value->value;
  if (!model.bounds) return true;
  return full_support && model.value ? model.value->low > log : model.bounds->low > log;
}

SceneOutcome outcome_of_scene(const LogScene& scene, double epsilon, int logs) {
  SceneWorld world(scene);
  SceneOutcome outcome;
  const std::vector<std::uint64_t> rows = rows_in_turn(SceneWorld::learned + scene.events, scene.events, false);
  const CountPrivacy privacy{epsilon, scene.rows};
  const CountNoiseTerms noise = noise_terms({privacy, privacy});
  std::mt19937_64 random(scene.seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int run = 0; run < logs; ++run) {
    const auto [log, contexts] = world.draw();
    LogWeights weights;
    try {
      weights = log_weights(log, rows, SceneWorld::learned, scene.rule);
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr("column 'propensity'"));
      ++outcome.refused;
      continue;
    }
    const EvaluatedLog evaluated{log, rows, SceneWorld::learned, weights};
    const LogCells cells =
        log_cells(log, rows, SceneWorld::learned, weights, most_cells, [&] { return uniform(random); });
    require_events(evaluated, cells, noise);
    PlaintextBandit bandit(scene.arms, SceneWorld::features, 0, 1);
    const auto context = [&world, &drawn = contexts](std::uint64_t row) {
      return std::span<const double>(world.context(drawn[row]));
    };
    const std::vector<bool> agreements = plaintext_agreements(bandit, context, evaluated);
    const OpenedCounts counts = noised(agreements, cells, privacy, static_cast<std::uint64_t>(run));
    const std::vector<PolicyValue> values = policy_values(counts, evaluated, cells, noise);
    const auto best = [&](std::size_t i) {
      const std::span<const double> scores = bandit.scores(world.context(i));
      return static_cast<std::size_t>(std::max_element(scores.begin(), scores.end()) - scores.begin());
    };
    add(outcome.model, values[0], world.truth(best));
    for (const SegmentValues& segment : segment_values(counts, evaluated, cells, noise, scene.rule)) {
      add(outcome.segments, segment.policies.front(), world.truth(best, std::stoul(segment.segment)));
    }
    const bool by_bit = bit_of(counts, evaluated, cells, noise);
    const bool by_interval = interval_beats_log(values, weights.full_support);
    EXPECT_LE(by_bit, by_interval) << "run " << run << ": a yes is never said sooner than by the interval";
    outcome.bit_says_yes += by_bit ? 1 : 0;
    outcome.interval_says_yes += by_interval ? 1 : 0;
    for (std::size_t arm = 0; arm < scene.arms; ++arm) {
      const PolicyValue& value = values[arm + 1];
      if (value.support == Support::not_played) {
        EXPECT_FALSE(value.value || value.bounds);
        ++outcome.without_value;
      } else {
        add(outcome.arms, value, world.truth([&](std::size_t) { return arm; }));
      }
    }
  }
  return outcome;
}

// Returns how many of `shown` intervals must contain the true value: 95%, minus three standard errors. The intervals of
// one log are not independent, so the number of logs determines the standard error.
double fewest(int shown, int logs) { return shown * (.95 - 3 * std::sqrt(.05 * .95 / logs)); }

std::vector<double> epsilons_of(const LogScene& scene) {
  return scene.is_noisiest ? std::vector{.1} : std::vector{.5, 1., 2.};
}

class SupportedStatistical : public ::testing::TestWithParam<LogScene> {};

TEST_P(SupportedStatistical, ShowsNoIntervalWithoutTheTruth) {
  const LogScene& scene = GetParam();
  const int logs = static_cast<int>(samples(250));
  for (const double epsilon : epsilons_of(scene)) {
    const SceneOutcome outcome = outcome_of_scene(scene, epsilon, logs);
    for (const ShownIntervals& all : {outcome.model, outcome.arms, outcome.segments}) {
      EXPECT_GE(all.hold, fewest(all.shown, logs)) << epsilon;
    }
    EXPECT_GE(outcome.segments.shown, scene.segments > 0 ? 2 * logs : 0) << epsilon;
    EXPECT_GE(outcome.bit_says_yes, .9 * outcome.interval_says_yes - 2) << epsilon;
    EXPECT_EQ(outcome.refused, scene.expected == ExpectedModel::refused ? logs : 0);
    EXPECT_EQ(outcome.without_value, scene.drops_arm ? logs : 0);
    switch (scene.expected) {
      case ExpectedModel::values:
        EXPECT_GE(outcome.model.values, .6 * logs) << epsilon;
        break;
      case ExpectedModel::bounds:
        EXPECT_LE(outcome.model.values, .05 * logs) << epsilon;
        EXPECT_EQ(outcome.model.bounds_hold, outcome.model.bounds) << epsilon;
        break;
      case ExpectedModel::refused:
      case ExpectedModel::either:
        break;
    }
  }
}

constexpr WeightRule with_stated_support{.full_support = true};

std::vector<LogScene> scenes() {
  return {
      {.name = "Uniform", .arms = 5, .seed = 1},
      {.name = "ByContext", .seed = 2, .softmax = .7},
      {.name = "ByContextAndStated", .seed = 2, .softmax = .7, .rule = with_stated_support},
      {.name = "Greedy", .seed = 3, .greedy = .85, .events = 6000},
      {.name = "Costs", .seed = 4, .softmax = .7, .is_cost = true},
      {.name = "Amounts", .seed = 5, .softmax = .5, .from = 0, .to = 30, .rule = with_stated_support},
      {.name = "RareRewards", .seed = 15, .base = -4, .events = 1500},
      {.name = "TwoArmsInMuchNoise", .arms = 2, .seed = 12, .events = 1400, .is_noisiest = true},
      {.name = "FiveRowsASubject", .arms = 2, .seed = 6, .events = 3000, .rows = 5},
      {.name = "ArmThatIsGone", .expected = ExpectedModel::bounds, .seed = 7, .softmax = .7, .drops_arm = true},
      {.name = "Deterministic", .expected = ExpectedModel::bounds, .seed = 8, .greedy = 1},
      {.name = "WrongPropensity", .expected = ExpectedModel::refused, .seed = 9, .claim = 1. / 30},
      {.name = "OneHalfOfThree", .expected = ExpectedModel::refused, .seed = 10, .claim = .5},
      {.name = "Segments", .seed = 13, .softmax = .5, .events = 6000, .segments = 3, .rule = with_stated_support},
      {.name = "SegmentsWithoutStatedSupport", .seed = 14, .softmax = .5, .events = 6000, .segments = 3},
      {.name = "GapWhereTheBestEarnsAll", .expected = ExpectedModel::either, .seed = 11, .softmax = .7, .gap = .07},
  };
}

INSTANTIATE_TEST_SUITE_P(Logs, SupportedStatistical, ::testing::ValuesIn(scenes()),
                         [](const auto& scene) { return scene.param.name; });

TEST(CoverageLong, IsOfNinetyFiveOfAHundred) {
  constexpr int logs = 250;
  ShownIntervals all;
  for (const LogScene& scene : scenes()) {
    if (scene.expected != ExpectedModel::values) continue;
    for (const double epsilon : epsilons_of(scene)) {
      const ShownIntervals model = outcome_of_scene(scene, epsilon, logs).model;
      all.shown += model.shown;
      all.hold += model.hold;
    }
  }
  EXPECT_GE(all.hold, .95 * all.shown);
}

// Shows that the test can fail: intervals that ignore the noise contain the truth too rarely.
TEST(CoverageStatistical, NeedsTheNoiseInTheInterval) {
  const LogScene scene{.name = "", .arms = 2, .seed = 12, .events = 1400};
  SceneWorld world(scene);
  const std::vector<std::uint64_t> rows = rows_in_turn(SceneWorld::learned + scene.events, scene.events, false);
  int misses = 0;
  for (std::uint64_t run = 0; run < 60; ++run) {
    const auto [log, contexts] = world.draw();
    const LogWeights weights = log_weights(log, rows, SceneWorld::learned, with_stated_support);
    const EvaluatedLog evaluated{log, rows, SceneWorld::learned, weights};
    const LogCells cells = log_cells(log, rows, SceneWorld::learned, weights, 30, [] { return .5; });
    PlaintextBandit bandit(scene.arms, SceneWorld::features, 0, 1);
    const std::vector<bool> agreements = plaintext_agreements(
        bandit,
        [&world, &drawn = contexts](std::uint64_t row) { return std::span<const double>(world.context(drawn[row])); },
        evaluated);
    const PolicyValue value = policy_values(noised(agreements, cells, {.05, 1}, run), evaluated, cells, {0, 1}).front();
    const double truth = world.truth([&](std::size_t i) {
      const std::span<const double> scores = bandit.scores(world.context(i));
      return static_cast<std::size_t>(std::max_element(scores.begin(), scores.end()) - scores.begin());
    });
    misses += value.value && truth >= value.value->low && truth <= value.value->high ? 0 : 1;
  }
  EXPECT_GE(misses, 15);
}

}  // namespace
}  // namespace sotto::apps::bandit::run::testing
