// The evaluation of a log whose probabilities depend on a bit that only the parties have: its privacy, its intervals,
// and the logs that it refuses.
#include <array>
#include <cmath>
#include <functional>

#include "apps/bandit/model/bandit_plan.h"
#include "apps/bandit/model/batch/batch_plan.h"
#include "apps/bandit/model/evaluate/private_evaluation.h"
#include "apps/bandit/run/log/estimates.h"
#include "apps/bandit/run/log/segments.h"
#include "apps/bandit/run/sites/site.h"
#include "sotto/protocol/ring/fixed_point.h"
#include "sotto/protocol/simulate/simulate.h"
#include "tests/apps/support.h"
#include "tests/linear_algebra.h"

namespace sotto::apps::bandit::run::testing {
namespace {

// One evaluated row of a party: its feature, which decides whether the model agrees with the log, and its bit.
struct Row {
  bool agrees = false;
  bool is_best = false;
};

// The model learns that arm 1 pays where the feature is positive. All logged arms are arm 1, so the model agrees in the
// events with a positive feature. There is no noise.
class TinyRole final : public SiteOf<Contexts, Arms, Rewards, CountNoise, BestShares> {
 public:
  static constexpr std::uint64_t learned = 40;
  static constexpr std::size_t cells = 2;

  TinyRole(std::size_t node, std::vector<Row> rows) : node_(node), rows_(std::move(rows)) {}
  void context(std::size_t, std::uint64_t step, std::span<std::uint64_t> out) override {
    const bool is_positive = step < learned || rows_[step - learned].agrees;
    std::fill(out.begin(), out.end(), sotto::encode(is_positive ? .5 : -.5, 20));
  }
  std::size_t logged_arm(std::uint64_t) override { return 1; }
  std::size_t logged_cell(std::uint64_t step) override { return step % cells; }
  std::uint64_t reward(std::uint64_t) override { return 1; }
  void counts_shown(const OpenedCounts& counts) override { shown = counts; }
  void draw_coins(std::span<std::uint64_t> out) override { std::fill(out.begin(), out.end(), node_ + 1); }
  void draw_noise(std::span<std::uint64_t> out) override { std::fill(out.begin(), out.end(), 0); }
  bool best_share(std::uint64_t step) override {
    const bool mask = step % 2 == 0;
    return node_ == 0 ? mask : rows_[step - learned].is_best != mask;
  }

  OpenedCounts shown;

 private:
  std::size_t node_;
  std::vector<Row> rows_;
};

using Counts = std::array<std::int64_t, 2 * TinyRole::cells>;

Counts counts_of(const std::vector<Row>& rows) {
  BanditParameters p{.columns = {1, 1}, .arms = 2, .steps = TinyRole::learned + rows.size()};
  p.task = BanditTask::learn;
  p.batch = 8;
  const BanditPlan plan = plan_bandit(p);
  const EvaluationPlan evaluation{TinyRole::learned, rows.size(), TinyRole::cells, 8, false, true};
  std::vector<std::unique_ptr<TinyRole>> roles;
  (void)protocols::simulate(p.topology(), [&](Party& party) {
    roles.push_back(std::make_unique<TinyRole>(roles.size(), rows));
    return private_evaluation(party, *plan.batches, evaluation, *roles.back());
  });
  const OpenedCounts& shown = roles.at(actor_of(p.topology()))->shown;
  Counts counts{};
  for (std::size_t cell = 0; cell < TinyRole::cells; ++cell) {
    counts[cell] = shown.agreed.at(cell);
    counts[TinyRole::cells + cell] = shown.otherwise.at(cell);
  }
  return counts;
}

// The largest logarithm of the ratio of the probabilities of an output, over all outputs that lie around the counts.
// Discrete Laplace noise x has a probability proportional to exp(-|x| / scale), so farther outputs have no other ratio.
double largest_log_ratio(const Counts& first, const Counts& second, double scale) {
  double largest = 0;
  Counts output{};
  const std::function<void(std::size_t, double)> all_from = [&](std::size_t count, double log_ratio) {
    if (count == output.size()) {
      largest = std::max(largest, log_ratio);
      return;
    }
    for (output[count] = -1; output[count] <= 5; ++output[count]) {
      const auto apart = std::abs(output[count] - second[count]) - std::abs(output[count] - first[count]);
      all_from(count + 1, log_ratio + static_cast<double>(apart) / scale);
    }
  };
  all_from(0, 0);
  return largest;
}

// Replaces the features and the bit of one of five rows in all ways.
TEST(ByBestPrivacy, HoldsForEveryOutputWhenARowIsReplaced) {
  std::vector<Counts> counts;
  for (const bool agrees : {false, true}) {
    for (const bool is_best : {false, true}) {
      counts.push_back(counts_of({{true, true}, {true, false}, {agrees, is_best}, {false, true}, {true, true}}));
    }
  }
  // The rows 0, 2 and 4 are in cell 0. Row 2 is the replaced one.
  EXPECT_EQ(counts[0], (Counts{2, 0, 0, 1}));
  EXPECT_EQ(counts[1], counts[0]) << "who does not agree counts nowhere";
  EXPECT_EQ(counts[2], (Counts{2, 0, 1, 1}));
  EXPECT_EQ(counts[3], (Counts{3, 0, 0, 1}));
  for (const double epsilon : {.5, 1.}) {
    const double scale = count_noise_scale({epsilon, 1}, true).value();
    const double scale_of_one = count_noise_scale({epsilon, 1}, false).value();
    double largest = 0;
    double with_less_noise = 0;
    for (const Counts& first : counts) {
      for (const Counts& second : counts) {
        largest = std::max(largest, largest_log_ratio(first, second, scale));
        with_less_noise = std::max(with_less_noise, largest_log_ratio(first, second, scale_of_one));
      }
    }
    EXPECT_LE(largest, epsilon);
    EXPECT_NEAR(largest, epsilon, 1e-5) << "the noise is not larger than needed";
    EXPECT_GT(with_less_noise, 1.9 * epsilon) << "half of the noise breaks the promise";
  }
  EXPECT_EQ(count_noise_scale({.5, 3}, true), (Ratio{12 << 20, 1 << 20}));
}

// A row is in one of two counts, and everything else is known. No guess is right more often than epsilon allows, and
// the noise that is enough for one count is not enough here.
TEST(ByBestPrivacy, OfTheDrawnNoiseIsThatOfTwoCounts) {
  constexpr int guesses = 100'000;
  const auto guessed_right = [](bool by_best) {
    OwnNoise noise(CountPrivacy{1, 1}, Coins::insecure(8), nullptr, by_best);
    std::mt19937_64 random(4);
    int right = 0;
    std::vector<std::uint64_t> words(2);
    for (int i = 0; i < guesses; ++i) {
      const std::size_t place = random() % 2;
      noise.draw_noise(words);
      ++words[place];
      std::array<double, 2> odds{};
      for (const std::size_t guess : {0, 1}) {
        for (const std::size_t count : {0, 1}) {
          odds[guess] -= std::abs(static_cast<double>(static_cast<std::int64_t>(words[count])) - (guess == count));
        }
      }
      const std::size_t guess = odds[0] == odds[1] ? random() % 2 : odds[1] > odds[0] ? 1 : 0;
      right += guess == place ? 1 : 0;
    }
    return static_cast<double>(right) / guesses;
  };
  const double chance = std::exp(1) / (1 + std::exp(1));
  EXPECT_LE(guessed_right(true), chance + 4 * std::sqrt(.25 / guesses));
  EXPECT_GT(guessed_right(true), .6);
  EXPECT_GT(guessed_right(false), guessed_right(true) + .02);
}

// A play that explores uniformly with probability `explores`, and otherwise plays the best arm of its own policy.
struct GreedyScene {
  std::string name;
  std::size_t arms;
  double explores;
  std::uint64_t events;
  double epsilon = 1;  // of each of two parties
  bool amounts = false;
};

class GreedyWorld {
 public:
  static constexpr std::size_t contexts = 60;

  explicit GreedyWorld(const GreedyScene& scene, std::uint64_t seed) : scene_(scene), random_(seed) {
    std::uniform_real_distribution<double> uniform(0, 1);
    for (std::size_t i = 0; i < contexts; ++i) {
      std::vector<double> chances;
      for (std::size_t arm = 0; arm < scene.arms; ++arm) chances.push_back(.05 + .5 * uniform(random_));
      const auto best = std::max_element(chances.begin(), chances.end()) - chances.begin();
      // The old policy knows the best arm of half of the contexts, and the evaluated policy of three quarters.
      old_.push_back(i % 2 == 0 ? static_cast<std::size_t>(best) : random_() % scene.arms);
      policy_.push_back(i % 4 != 3 ? static_cast<std::size_t>(best) : random_() % scene.arms);
      chances_.push_back(std::move(chances));
    }
  }

  struct Log {
    EventLog log;
    std::vector<bool> best;
    std::vector<bool> agreements;
  };
  [[nodiscard]] Log draw() {
    std::uniform_real_distribution<double> uniform(0, 1);
    const double least = scene_.explores / static_cast<double>(scene_.arms);
    const std::string both = fmt::format("{},{}\n", least + 1 - scene_.explores, least);
    std::string text = "arm,reward,best_probability,least_probability\n";
    std::vector<bool> best;
    std::vector<bool> agreements;
    for (std::uint64_t t = 0; t < scene_.events; ++t) {
      const std::size_t i = random_() % contexts;
      const std::size_t arm = uniform(random_) < scene_.explores ? random_() % scene_.arms : old_[i];
      best.push_back(arm == old_[i]);
      agreements.push_back(arm == policy_[i]);
      const bool earns = uniform(random_) < chances_[i][arm];
      const double size = scene_.amounts ? .25 * static_cast<double>(1 + random_() % 4) : 1;
      text += fmt::format("{},{},", arm, earns ? size : 0.) + both;
    }
    const TestFolder folder;
    return {EventLog::read(folder.put("log.csv", text), {.arms = scene_.arms, .reward_scale = 1}), std::move(best),
            std::move(agreements)};
  }
  [[nodiscard]] double truth() const {
    double sum = 0;
    for (std::size_t i = 0; i < contexts; ++i) sum += chances_[i][policy_[i]] / contexts;
    return scene_.amounts ? .625 * sum : sum;
  }

 private:
  GreedyScene scene_;
  std::mt19937_64 random_;
  std::vector<std::vector<double>> chances_;
  std::vector<std::size_t> old_, policy_;
};

OpenedCounts noised(const GreedyWorld::Log& drawn, const LogCells& cells, const CountPrivacy& privacy,
                    std::uint64_t seed) {
  const std::size_t count = cells.count();
  std::vector<std::int64_t> all(2 * count, 0);
  for (std::size_t t = 0; t < drawn.agreements.size(); ++t) {
    all[cells.of_event[t] + (drawn.best[t] ? 0 : count)] += drawn.agreements[t] ? 1 : 0;
  }
  for (std::uint64_t party = 0; party < 2; ++party) {
    std::vector<std::uint64_t> noise(all.size());
    OwnNoise(privacy, Coins::insecure(2 * seed + party), nullptr, true).draw_noise(noise);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] += static_cast<std::int64_t>(noise[i]);
  }
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(count);
  return {drawn.agreements.size(), {all.begin(), middle}, {middle, all.end()}};
}

// Whether the question of one bit would be answered with yes.
bool answer_of(const OpenedCounts& counts, const CountQuestion& question) {
  double sum = 0;
  for (std::size_t cell = 0; cell < counts.agreed.size(); ++cell) {
    EXPECT_LE(std::max(std::abs(question.factors.at(cell)), std::abs(question.factors_otherwise.at(cell))), 1);
    sum += question.factors[cell] * static_cast<double>(counts.agreed[cell]) +
           question.factors_otherwise[cell] * static_cast<double>(counts.otherwise[cell]);
  }
  return sum > question.threshold;
}

class ByBestStatistical : public ::testing::TestWithParam<GreedyScene> {};

TEST_P(ByBestStatistical, IntervalsContainTheValue) {
  const GreedyScene& scene = GetParam();
  const CountPrivacy privacy{scene.epsilon, 1};
  const CountNoiseTerms noise = noise_terms({privacy, privacy}, true);
  const std::vector<std::uint64_t> rows = rows_in_turn(scene.events, 0, false);
  constexpr std::uint64_t logs = 250;
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> uniform(0, 1);
  int hold = 0;
  int bounds_hold = 0;
  int yes_by_bit = 0;
  int yes_by_interval = 0;
  int of_exchanged_counts = 0;
  std::vector<GreedyWorld> worlds;
  for (std::uint64_t seed = 0; seed < 10; ++seed) worlds.emplace_back(scene, seed);
  for (std::uint64_t run = 0; run < logs; ++run) {
    GreedyWorld& world = worlds[run % worlds.size()];
    GreedyWorld::Log drawn = world.draw();
    const LogWeights weights = log_weights(drawn.log, rows, 0, {});
    ASSERT_TRUE(weights.full_support);
    const EvaluatedLog evaluated{drawn.log, rows, 0, weights};
    const LogCells cells = log_cells(drawn.log, rows, 0, weights, 32, [&] { return uniform(random); });
    ASSERT_EQ(cells.count(), scene.amounts ? reward_levels : 2u);
    require_events(evaluated, cells, noise);
    OpenedCounts counts = noised(drawn, cells, privacy, run);
    const std::vector<PolicyValue> values = policy_values(counts, evaluated, cells, noise);
    const PolicyValue& model = values.front();
    const double truth = world.truth();
    ASSERT_EQ(model.support, Support::shown) << model.mean_weight->value;
    hold += model.value->low <= truth && truth <= model.value->high ? 1 : 0;
    bounds_hold += model.bounds->low <= truth && truth <= model.bounds->high ? 1 : 0;
    EXPECT_LT(model.value->high - model.value->low, .5) << "an interval that says something";
    const BitQuestion asked = bit_question(evaluated, cells, noise);
    EXPECT_FALSE(asked.at_worst);
    const bool by_interval = model.value->low > values.back().value->value;
    const bool by_bit = answer_of(counts, asked.question);
    EXPECT_LE(by_bit, by_interval);
    yes_by_bit += by_bit ? 1 : 0;
    yes_by_interval += by_interval ? 1 : 0;
    std::swap(counts.agreed, counts.otherwise);
    const PolicyValue wrong = policy_values(counts, evaluated, cells, noise).front();
    of_exchanged_counts += wrong.value && wrong.value->low <= truth && truth <= wrong.value->high ? 1 : 0;
  }
  EXPECT_GE(hold, .925 * logs);
  EXPECT_GE(bounds_hold, .925 * logs);
  EXPECT_GE(yes_by_bit, .8 * yes_by_interval - 2);
  EXPECT_LE(of_exchanged_counts, .5 * logs) << "this test can fail";
}

INSTANTIATE_TEST_SUITE_P(Logs, ByBestStatistical,
                         ::testing::Values(GreedyScene{"ThreeArms", 3, .3, 3000},
                                           GreedyScene{"ThreeArmsThatExploreLittle", 3, .1, 5000},
                                           GreedyScene{"FiveArms", 5, .2, 4000, 2},
                                           GreedyScene{"TenArms", 10, .3, 5500},
                                           GreedyScene{"Amounts", 4, .3, 4500, 1, true}),
                         [](const auto& scene) { return scene.param.name; });

class ByBestLogs : public InFolder {
 protected:
  [[nodiscard]] EventLog log_of(const std::string& rows, const std::string& columns = both,
                                std::size_t arms = 3) const {
    return EventLog::read(folder.put("log.csv", "arm,reward," + columns + "\n" + rows),
                          {.arms = arms, .segment = columns.ends_with("segment") ? "segment" : ""});
  }
  [[nodiscard]] std::string refusal_of(const std::string& rows, const std::string& columns = both) const {
    return message_of<InputError>(folder, [&] { (void)log_of(rows, columns); });
  }
  [[nodiscard]] static std::vector<std::uint64_t> all(const EventLog& log) {
    return rows_in_turn(log.rows(), log.rows(), false);
  }

  static constexpr const char* both = "best_probability,least_probability";
};

TEST_F(ByBestLogs, HaveBothProbabilitiesOrNone) {
  const EventLog log = log_of("0,1,.8,.1\n1,0,.8,.1\n2,1,1,1\n");
  EXPECT_TRUE(log.has_best_probabilities());
  EXPECT_FALSE(log.has_propensities());
  EXPECT_EQ(log.best_probability(1), .8);
  EXPECT_EQ(log.least_probability(2), 1);
  EXPECT_EQ(refusal_of("0,1,.8\n", "best_probability"),
            "log.csv:1: there is a column 'best_probability' and none 'least_probability': a log has both, or none of "
            "both");
  EXPECT_THAT(refusal_of("0,1,.8\n", "least_probability"), HasSubstr("none 'best_probability'"));
  EXPECT_THAT(refusal_of("0,1,.8,.8,.1\n", "propensity,best_probability,least_probability"),
              StartsWith("log.csv:1: 'propensity' excludes 'best_probability' and 'least_probability'"));
  EXPECT_EQ(refusal_of("0,1,.8,.1\n0,1,.31,.37\n"),
            "log.csv:3:3: column 'best_probability': expected at least the row's 'least_probability'");
  for (const char* bad : {"0,1,1.5,.1\n", "0,1,0,0\n", "0,1,.8,-.1\n", "0,1,.8,0\n", "0,1,x,.1\n", "0,1,,.1\n"}) {
    EXPECT_THAT(refusal_of(bad), AllOf(StartsWith("log.csv:2:"), HasSubstr("a probability above 0 and at most 1")))
        << bad;
  }
  EXPECT_THAT(
      message_of<InputError>(folder,
                             [&] {
                               (void)EventLog::read(
                                   folder.put("log.csv", "arm,reward,best_probability,least_probability\n0,1,1,1\n"),
                                   {.segment = "least_probability"});
                             }),
      HasSubstr("'least_probability' has a meaning of its own"));
}

TEST_F(ByBestLogs, KeepTheirProbabilitiesInAnotherOrder) {
  EventLog log = log_of("0,1,.8,.1,b\n1,0,.9,.05,a\n", "best_probability,least_probability,id");
  const std::string sorted = order_digest(std::vector<std::string_view>{"a", "b"});
  EXPECT_EQ(log.put_in_order([&](const std::string& digest) { return digest == sorted; }), true);
  EXPECT_EQ(log.best_probability(0), .9);
  EXPECT_EQ(log.least_probability(1), .1);
}

TEST_F(ByBestLogs, HaveTwoWeightsOfEachEvent) {
  const EventLog log = log_of("0,1,.8,.1\n1,0,.8,.1\n2,1,.4,.3\n");
  const LogWeights weights = log_weights(log, all(log), 0, {});
  ASSERT_TRUE(weights.by_best());
  EXPECT_EQ(weights.weights, (std::vector{1.25, 1.25, 2.5}));
  EXPECT_EQ(weights.otherwise, (std::vector{10., 10., 1 / .3}));
  EXPECT_TRUE(weights.full_support) << "each event had three arms to choose from";
  const EventLog two = log_of("0,1,.8,.1\n1,0,.9,.1\n");
  EXPECT_FALSE(log_weights(two, all(two), 0, {}).full_support) << "one event had two of three arms";
  EXPECT_TRUE(log_weights(two, all(two), 0, {.full_support = true}).full_support);
  const auto refusal = [&](const EventLog& of, const WeightRule& rule) {
    return message_of<InputError>(folder, [&] { (void)log_weights(of, all(of), 0, rule); });
  };
  const EventLog four = log_of("0,1,.8,.1\n1,0,.7,.1\n");
  EXPECT_THAT(refusal(four, {}), AllOf(StartsWith("log.csv:3: columns 'best_probability'"),
                                       HasSubstr("the event had 4 arms to choose from, and 3 were in the log")));
  EXPECT_THAT(refusal(log, {.arms_offered = 2}), HasSubstr("3 arms to choose from, and 2 were offered"));
  EXPECT_THAT(refusal(log, {.least_propensity = .2}),
              AllOf(StartsWith("log.csv:2: a least_probability below 0.2"), HasSubstr("--clip-weights")));
  const LogWeights clipped = log_weights(log, all(log), 0, {.least_propensity = .2, .clips = true});
  EXPECT_EQ(clipped.clipped, 2u);
  EXPECT_EQ(clipped.otherwise.front(), 5);
  const EventLog rounded = log_of("0,1,.9333,.0333\n1,0,.93333,.03333\n");
  EXPECT_TRUE(log_weights(rounded, all(rounded), 0, {}).full_support) << "four decimals are enough";
}

TEST_F(ByBestLogs, NeedTheBitsOfTheParties) {
  const EventLog log = log_of("0,1,.8,.1\n");
  const EventLog other = EventLog::read(folder.put("b.csv", "arm,reward,propensity\n0,1,.5\n"), {.arms = 3});
  const auto refusal = [&](const EventLog& of, bool has_bits, const WeightRule& rule = {}) {
    return message_of<InputError>(folder, [&] { require_best_bits(of, rule, has_bits); });
  };
  EXPECT_NO_THROW(require_best_bits(log, {}, true));
  EXPECT_NO_THROW(require_best_bits(other, {}, false));
  EXPECT_NO_THROW(require_best_bits(log, {.propensities = Propensities::frequencies}, false));
  EXPECT_THAT(refusal(log, false), AllOf(StartsWith("log.csv: 'best_probability' and 'least_probability' need"),
                                         HasSubstr("put the .best file")));
  EXPECT_THAT(refusal(other, true), AllOf(StartsWith("b.csv: the parties have shares of best arms"),
                                          HasSubstr("remove the parties' .best files")));
  EXPECT_THAT(refusal(log, true, {.propensities = Propensities::frequencies}), HasSubstr("no weight of the log"));
}

TEST_F(ByBestLogs, HaveACellForEachPairOfProbabilities) {
  const auto cells_of = [](const EventLog& log, std::size_t most = 32) {
    return log_cells(log, all(log), 0, log_weights(log, all(log), 0, {}), most, [] { return .5; });
  };
  const LogCells few = cells_of(log_of("0,1,.8,.1\n1,0,.8,.1\n2,1,.4,.3\n0,0,.4,.3\n"));
  EXPECT_EQ(few.weights, (std::vector{1.25, 2.5}));
  EXPECT_EQ(few.otherwise, (std::vector{10., 1 / .3}));
  EXPECT_EQ(few.of_event, (std::vector<std::size_t>{1, 0, 3, 2}));
  EXPECT_EQ(few.weight_otherwise(3), 1 / .3);
  EXPECT_EQ(few.largest_weight(), 10);
  std::string many;
  for (int i = 0; i < 17; ++i)
    many += fmt::format("{},{},{},{}\n", i % 2, i % 3 == 0 ? 1 : 0, .5 + .02 * i, .25 - .01 * i);
  const EventLog log = log_of(many);
  EXPECT_THAT(message_of<InputError>(folder, [&] { (void)cells_of(log); }),
              AllOf(StartsWith("log.csv: columns 'best_probability' and 'least_probability': 17 pairs"),
                    HasSubstr("make 34 cells, and 32 can be split"), HasSubstr("exploration and the number of arms")));
  EXPECT_THAT(message_of<InputError>(
                  folder, [&] { (void)cells_of(log_of("0,1,.8,.1\n1,0,.8,.1\n2,1,.4,.3\n0,0,.4,.3\n"), 3); }),
              HasSubstr("need 4 cells, not 3: set --cells 4"));
}

// The expected values were computed by hand. The log repeats four events, and all noise is 0.
TEST_F(ByBestLogs, HaveTheValuesOfTheirDefinitions) {
  constexpr int times = 300;
  std::string text;
  for (int i = 0; i < times; ++i) text += "0,1,.8,.1\n1,1,.8,.1\n0,0,.8,.1\n2,0,.8,.1\n";
  const EventLog log = log_of(text);
  const std::vector<std::uint64_t> rows = all(log);
  const LogWeights weights = log_weights(log, rows, 0, {});
  const EvaluatedLog evaluated{log, rows, 0, weights};
  const LogCells cells = log_cells(log, rows, 0, weights, 12, [] { return .5; });
  // The model agrees with 240 best arms and 72 others in rewarded events, and with 24 others in the rest.
  OpenedCounts counts{4 * times, {0, 240, 0}, {24, 72, 0}};
  const std::vector<PolicyValue> values = policy_values(counts, evaluated, cells, {0, 1});
  ASSERT_EQ(values.size(), 5u);
  EXPECT_NEAR(values[0].mean_weight->value, (1.25 * 240 + 10 * 96) / 1200, 1e-12);
  EXPECT_NEAR(values[0].value->value, .5 + (1.25 * .5 * 240 + 10 * .5 * 72 - 10 * .5 * 24) / 1200, 1e-12);
  const double squares = (1.25 * 1.25 * .25 * 240 + 100 * .25 * 96) / 1200;
  const double mean = (1.25 * .5 * 240 + 10 * .5 * 48) / 1200;
  EXPECT_NEAR(values[0].value->high - values[0].value->value,
              2 * std::sqrt((squares - mean * mean + 2 * 25. / 1200) / 1200), 1e-12);
  EXPECT_NEAR(values[0].effective_events, std::pow(1.25 * 240 + 960, 2) / (1.25 * 1.25 * 240 + 100 * 96), 1e-9);
  EXPECT_EQ(values[0].support, Support::shown);
  for (std::size_t arm = 1; arm < 4; ++arm) {
    EXPECT_EQ(values[arm].support, Support::unknown_weights);
    EXPECT_FALSE(values[arm].value || values[arm].bounds || values[arm].mean_weight);
  }
  EXPECT_NEAR(values[4].value->value, .5, 1e-12) << "what the log earned is known as ever";
  // Noise of the standard deviation 2 in each of the four counts, with the weights 1.25, 1.25, 10 and 10.
  const double alone = std::log(20) / std::sqrt(2) * 2 * std::sqrt(2 * (.625 * .625 + 25)) / 1200;
  EXPECT_NEAR(noise_half_width(evaluated, cells, {2, 1}), alone, 1e-12);
  EXPECT_FALSE(noise_hides(evaluated, cells, {2, 1}));
  EXPECT_THAT(message_of<InputError>(folder,
                                     [&] {
                                       require_events(evaluated, cells, {8, 1});
                                     }),
              AllOf(HasSubstr("1200 events and weights up to 10"),
                    HasSubstr(fmt::format("{:.0f} events are needed", std::ceil(1200 * 4 * alone / .05)))));
  counts.otherwise = {124, 172, 0};
  EXPECT_EQ(policy_values(counts, evaluated, cells, {0, 1})[0].support, Support::wrong_propensities);
  EXPECT_EQ(policy_values(counts, evaluated, cells, {0, 1})[1].support, Support::wrong_propensities);
}

TEST_F(ByBestLogs, HaveValuesOfSegments) {
  std::string text;
  for (int i = 0; i < 600; ++i) {
    for (const char* segment : {"de", "fr"}) {
      text += fmt::format("{},{},{},{}\n", i % 3, i % 2, *segment == 'd' ? ".8,.1" : ".4,.3", segment);
    }
  }
  const EventLog log = log_of(text, "best_probability,least_probability,segment");
  const std::vector<std::uint64_t> rows = all(log);
  const LogWeights weights = log_weights(log, rows, 0, {});
  const EvaluatedLog evaluated{log, rows, 0, weights};
  const LogCells cells = log_cells(log, rows, 0, weights, 32, [] { return .5; });
  ASSERT_EQ(cells.count(), 8u);
  OpenedCounts counts{1200, std::vector<std::int64_t>(8, 0), std::vector<std::int64_t>(8, 0)};
  // Levels of probabilities come before rewards: cell 1 is (de, .8, reward 1), and cell 7 is (fr, .4, reward 1).
  counts.agreed[1] = 240;
  counts.otherwise[1] = 30;
  counts.agreed[7] = 120;
  counts.otherwise[7] = 90;
  const std::vector<SegmentValues> segments = segment_values(counts, evaluated, cells, {0, 1}, {});
  ASSERT_EQ(segments.size(), 2u);
  EXPECT_NEAR(segments[0].policies[0].mean_weight->value, (1.25 * 240 + 10 * 30) / 600, 1e-12);
  EXPECT_NEAR(segments[1].policies[0].mean_weight->value, (2.5 * 120 + 90 / .3) / 600, 1e-12);
  EXPECT_EQ(segments[1].policies[0].support, Support::shown);
  EXPECT_EQ(segments[1].policies[1].support, Support::unknown_weights);
}

}  // namespace
}  // namespace sotto::apps::bandit::run::testing
