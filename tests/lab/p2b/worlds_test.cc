#include "bench/lab/p2b/worlds.h"
#include "apps/p2b/world.h"
#include "bench/lab/p2b/stream.h"
#include "tests/apps/support.h"
#include "tests/lab/data/samples.h"
#include "tests/properties.h"

namespace sotto::apps::lab {

using namespace sotto::apps::p2b;
namespace {

TEST(Stream, FollowsFromItsKeyAlone) {
  Stream a({1, 2, 3}), b({1, 2, 3});
  for (int i = 0; i < 100; ++i) EXPECT_EQ(a.next(), b.next());
  std::set<std::uint64_t> firsts;
  for (std::uint64_t i = 0; i < 50; ++i) {
    for (std::uint64_t j = 0; j < 50; ++j) firsts.insert(Stream({7, i, j}).next());
  }
  EXPECT_EQ(firsts.size(), 2500u) << "other keys, other streams";
  EXPECT_NE(Stream({1, 2}).next(), Stream({2, 1}).next());
}

TEST(Stream, StaysWithinItsBounds) {
  Stream stream({5});
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(stream.below(1), 0u);
    seen.insert(stream.below(7));
    const double unit = stream.unit();
    EXPECT_GE(unit, 0);
    EXPECT_LT(unit, 1);
    EXPECT_LT(stream.below(UINT64_MAX), UINT64_MAX);
  }
  EXPECT_EQ(seen, (std::set<std::uint64_t>{0, 1, 2, 3, 4, 5, 6}));
}

TEST(StreamStatistical, HasTheMomentsOfItsDistributions) {
  Stream stream({9});
  constexpr int n = 200'000;
  double unit = 0, normal = 0, squares = 0, fourths = 0;
  for (int i = 0; i < n; ++i) {
    unit += stream.unit() / n;
    const double x = stream.normal();
    normal += x / n;
    squares += x * x / n;
    fourths += x * x * x * x / n;
  }
  EXPECT_NEAR(unit, .5, 5 * .2887 / std::sqrt(n));
  EXPECT_NEAR(normal, 0, 5 / std::sqrt(n));
  EXPECT_NEAR(squares, 1, 5 * std::sqrt(2.0 / n));
  EXPECT_NEAR(fourths, 3, 5 * std::sqrt(96.0 / n));
}

CriteoWorldSettings settings_for(const std::filesystem::path& file) {
  return CriteoWorldSettings{.file = file, .arms = 8, .users = 30, .steps = 20};
}

TEST(CriteoWorld, MakesUsersOfTheLog) {
  const TestFolder folder;
  const CriteoWorldSettings settings = settings_for(folder.put("log.txt", criteo_sample(4000, 1)));
  const CriteoData data = read_criteo_world(settings, not_interrupted);
  EXPECT_EQ(data.rows, 4000u);
  EXPECT_EQ(data.world->users(), 30u);
  EXPECT_EQ(data.steps, 600u);
  EXPECT_EQ(data.world->arms(), 8u);
  EXPECT_EQ(data.context.size(), 10u);
  EXPECT_EQ(data.context.front(), 0u) << "the sample's first integer is never missing";
  EXPECT_GT(data.clicks, 50u);
  std::vector<double> contexts;
  std::uint64_t clicks = 0;
  for (std::size_t user = 0; user < 30; ++user) {
    ASSERT_EQ(data.world->meet(user, contexts), 20u);
    for (std::size_t step = 0; step < 20; ++step) {
      const auto context = std::span<const double>(contexts).subspan(step * 10, 10);
      EXPECT_NEAR(std::accumulate(context.begin(), context.end(), 0.0), 1, 1e-9);
      const auto shown = data.world->logged_arm(user, step);
      ASSERT_TRUE(shown && *shown < 8);
      clicks += data.world->reward(user, step, context, *shown) > 0 ? 1U : 0U;
    }
  }
  EXPECT_EQ(clicks, data.clicks);
}

TEST(CriteoWorld, PaysForTheClickedKindWhereAskedTo) {
  const TestFolder folder;
  CriteoWorldSettings settings = settings_for(folder.put("log.txt", criteo_sample(4000, 1)));
  settings.clicked_only = true;
  settings.users = 5;
  const CriteoData data = read_criteo_world(settings, not_interrupted);
  EXPECT_EQ(data.clicks, data.steps);
  EXPECT_FALSE(data.world->logged_arm(0, 0));
  double paid = 0;
  for (std::size_t arm = 0; arm < 8; ++arm) paid += data.world->reward(3, 7, {}, arm);
  EXPECT_EQ(paid, 1);
}

TEST(CriteoWorld, RefusesLogsThatAreTooShort) {
  const TestFolder folder;
  CriteoWorldSettings settings = settings_for(folder.put("log.txt", criteo_sample(100, 1)));
  settings.steps = 90;
  EXPECT_THAT(message_of<InputError>(folder, [&] { (void)read_criteo_world(settings, not_interrupted); }),
              HasSubstr("log.txt: "));
  settings.dimension = 14;
  EXPECT_THROW((void)read_criteo_world(settings, not_interrupted), InputError);
}

TEST(MultiLabelWorld, TakesTheMostCommonLabelsAndTheFeaturesThatTellThem) {
  const TestFolder folder;
  // Labels 2 and 0 are common, and label 1 is rare. Feature 2 occurs with label 2, and feature 4 occurs with label 0.
  // Features 1 and 3 are the same in all rows.
  std::string text;
  for (int i = 0; i < 10; ++i) text += "2 1:1 2:9 3:1\n0 1:1 3:1 4:9\n2 1:1 2:9 3:1\n";
  text += "1 1:1 3:1\n";
  MultiLabelSettings settings{
      .file = folder.put("data.svm", text), .labels = {}, .dimension = 2, .arms = 2, .steps = 10};
  const MultiLabelData data = read_multi_label(settings, not_interrupted);
  EXPECT_EQ(data.rows, 31u);
  EXPECT_EQ(data.features, 4u);
  EXPECT_EQ(data.labels, 3u);
  EXPECT_THAT(data.arms, ElementsAre(2, 0));
  EXPECT_THAT(data.context, ElementsAre(1, 3));
  EXPECT_EQ(data.world->users(), 3u);
  std::vector<double> contexts;
  ASSERT_EQ(data.world->meet(0, contexts), 10u);
  contexts.resize(4);
  EXPECT_THAT(contexts, ElementsAre(1, 0, 0, 1));
  EXPECT_EQ(data.world->reward(0, 0, {}, 0), 1);
  EXPECT_EQ(data.world->reward(0, 0, {}, 1), 0);
  EXPECT_EQ(data.world->reward(0, 1, {}, 1), 1);
}

TEST(MultiLabelWorld, IsTheSameFromEitherFormat) {
  const TestFolder folder;
  const MultiLabelSample sample = multi_label_sample(200, 12, 6, 3);
  MultiLabelSettings settings{
      .file = folder.put("data.svm", sample.libsvm()), .labels = {}, .dimension = 6, .arms = 5, .steps = 20};
  const MultiLabelData a = read_multi_label(settings, not_interrupted);
  settings.file = folder.put("data.arff", sample.arff());
  const MultiLabelData b = read_multi_label(settings, not_interrupted);
  EXPECT_EQ(a.arms, b.arms);
  EXPECT_EQ(a.context, b.context);
  EXPECT_EQ(a.world->recorded().contexts, b.world->recorded().contexts);
  EXPECT_EQ(a.world->users(), 10u);
}

TEST(MultiLabelWorld, CountsNegativeFeatures) {
  const TestFolder folder;
  MultiLabelSettings settings{.file = folder.put("d.svm", "0 1:-1 2:1\n1 1:2 2:0.5\n0 1:1\n1 2:1\n"),
                              .labels = {},
                              .dimension = 2,
                              .arms = 2,
                              .steps = 2};
  const MultiLabelData data = read_multi_label(settings, not_interrupted);
  EXPECT_EQ(data.features_clipped, 1u);
}

TEST(MultiLabelWorld, RefusesWhatTheFileHasNot) {
  const TestFolder folder;
  MultiLabelSettings settings{.file = folder.put("d.svm", "0 1:1 2:1\n1 1:2 2:1\n0 1:1\n1 2:1\n"),
                              .labels = {},
                              .dimension = 2,
                              .arms = 2,
                              .steps = 2};
  const auto fault = [&] {
    return message_of<InputError>(folder, [&] { (void)read_multi_label(settings, not_interrupted); });
  };
  settings.arms = 3;
  EXPECT_THAT(fault(), HasSubstr("d.svm: 2 labels with a row, 3 arms"));
  settings.arms = 2;
  settings.dimension = 3;
  EXPECT_THAT(fault(), HasSubstr("d.svm: 2 features, a context of 3"));
  settings.dimension = 2;
  settings.steps = 3;
  EXPECT_THAT(fault(), HasSubstr("d.svm: 4 rows, not enough for two users"));
  settings.steps = 2;
  EXPECT_THROW((void)read_multi_label(settings, always_interrupted), Interrupted);
}

PROPERTY(NormaliseContext, MakesAnyFeaturesSumToOne) {
  auto features = draw<std::vector<double>>();
  assume(!features.empty());
  for (double& feature : features) {
    if (!std::isfinite(feature)) feature = 1;
  }
  const auto negative =
      static_cast<std::size_t>(std::count_if(features.begin(), features.end(), [](double x) { return x < 0; }));
  HOLDS(normalise_context(features) == negative);
  HOLDS(std::abs(std::accumulate(features.begin(), features.end(), 0.0) - 1) < 1e-9);
  for (const double feature : features) HOLDS(feature >= 0);
}

TEST(NormaliseContext, SpreadsNothingEvenly) {
  std::vector<double> features{0, -3, 0, 0};
  EXPECT_EQ(normalise_context(features), 1u);
  EXPECT_EQ(features, (std::vector<double>{.25, .25, .25, .25}));
  std::vector<double> huge{1e308, 1e308};
  normalise_context(huge);
  EXPECT_EQ(huge, (std::vector<double>{.5, .5}));
}

TEST(SyntheticWorld, FollowsFromItsSeed) {
  const SyntheticSettings settings{20, 6, 5, 4, .01};
  const SyntheticWorld world(settings, 3), same(settings, 3), other(settings, 4);
  std::vector<double> a, b, c;
  EXPECT_EQ(world.meet(7, a), 4u);
  same.meet(2, b);
  same.meet(7, b);
  other.meet(7, c);
  EXPECT_EQ(a, b) << "whatever was asked before";
  EXPECT_NE(a, c);
  for (std::size_t arm = 0; arm < 5; ++arm) {
    const std::span<const double> context = std::span<const double>(a).first(6);
    EXPECT_EQ(world.reward(7, 0, context, arm), same.reward(7, 0, context, arm));
  }
}

TEST(SyntheticWorldStatistical, PaysWhatItsWeightsSay) {
  // The same context is used many times, to average the rewards of many steps.
  const SyntheticSettings settings{2, 4, 3, 1, .01};
  const SyntheticWorld world(settings, 5);
  const std::vector<double> context{.4, .3, .2, .1};
  std::vector<double> expected(3);
  ASSERT_TRUE(world.expected_rewards(0, 0, context, expected));
  constexpr int n = 40'000;
  for (std::size_t arm = 0; arm < 3; ++arm) {
    double paid = 0;
    for (int user = 0; user < n; ++user) paid += world.reward(static_cast<std::size_t>(user), 0, context, arm) / n;
    // Noise of .01 that is clipped at 0 adds at most .004.
    EXPECT_NEAR(paid, expected[arm], .0045 + 5 * std::sqrt(.25 / n));
  }
  EXPECT_GT(*std::max_element(expected.begin(), expected.end()), .02) << "some arm pays";
}

TEST(SyntheticWorldStatistical, IsAsHardAsThePapers) {
  // The expected rewards are averages over random worlds. The best of 10 arms pays .175. Uniform play pays .046, the
  // mean of a half-normal distribution.
  double best = 0, uniform = 0;
  constexpr int draws = 200, users = 10;
  for (int seed = 0; seed < draws; ++seed) {
    const SyntheticWorld world({users, 10, 10, 10, .01}, static_cast<std::uint64_t>(seed));
    std::vector<double> contexts, rewards(10);
    for (std::size_t user = 0; user < users; ++user) {
      const std::size_t steps = world.meet(user, contexts);
      for (std::size_t step = 0; step < steps; ++step) {
        (void)world.expected_rewards(user, step, std::span<const double>(contexts).subspan(step * 10, 10), rewards);
        best += *std::max_element(rewards.begin(), rewards.end()) / (draws * users * 10);
        uniform += std::accumulate(rewards.begin(), rewards.end(), 0.0) / (draws * users * 100);
      }
    }
  }
  EXPECT_NEAR(best, .175, .015);
  EXPECT_NEAR(uniform, .046, .006);
}

TEST(PartOfWorld, StopsItsUsersEarly) {
  const SyntheticWorld world({20, 6, 5, 4, .01}, 3);
  const PartOfWorld part(world, 8, 3);
  EXPECT_EQ(part.users(), 8u);
  std::vector<double> some, all;
  EXPECT_EQ(part.meet(5, some), 3u);
  world.meet(5, all);
  all.resize(18);
  EXPECT_EQ(some, all);
  EXPECT_EQ(PartOfWorld(world, 100, 100).meet(5, some), 4u);
  EXPECT_EQ(PartOfWorld(world, 100, 100).users(), 20u);
}

}  // namespace
}  // namespace sotto::apps::lab
