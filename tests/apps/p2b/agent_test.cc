#include "apps/p2b/agent.h"
#include "apps/kit/dp/samplers.h"
#include "apps/kit/learn/seeded.h"
#include "apps/p2b/linucb.h"
#include "apps/p2b/nearest.h"
#include "apps/p2b/tuple.h"
#include "tests/apps/support.h"
#include "tests/linear_algebra.h"
#include "tests/properties.h"

namespace sotto::apps::p2b {
namespace {

TEST(P2bAgent, PlaysEncodedContextsAndReportsOneOfItsInteractionsOnce) {
  Encoder encoder = fit_encoder({3, 1, 8, EncoderKind::kmeans, 1});
  Model cold(ContextKind::centroid, encoder, 4);
  cold.solve();
  SeededDraws draws(1);
  Agent agent(encoder, cold);
  for (int user = 0; user < 50; ++user) {
    agent.restart();
    EXPECT_TRUE(agent.interactions().empty());
    for (int t = 0; t < 6; ++t) {
      const std::vector<double> context{draws.unit(), draws.unit(), draws.unit()};
      const std::size_t arm = agent.select(context, draws);
      ASSERT_LT(arm, 4U);
      agent.reward(t == 5 ? 2 : 0.5);
      EXPECT_EQ(agent.interactions().back(),
                (Tuple{encoder.encode(context), static_cast<std::uint32_t>(arm), t == 5 ? 1 : 0.5}));
    }
    EXPECT_EQ(agent.clipped(), 1U);
    const auto tuple = agent.report(1 - 1e-12, TupleChoice::uniform, draws);
    ASSERT_TRUE(tuple);
    EXPECT_NE(std::find(agent.interactions().begin(), agent.interactions().end(), *tuple), agent.interactions().end());
    EXPECT_FALSE(agent.report(1 - 1e-12, TupleChoice::uniform, draws));
  }
}

TEST(P2bAgent, LearnsFromItsOwnRewards) {
  Encoder encoder = fit_encoder({2, 1, 2, EncoderKind::kmeans, 1});
  Model cold(ContextKind::one_hot, encoder, 3);
  cold.solve();
  SeededDraws draws(2);
  Agent agent(encoder, cold);
  const std::vector<double> context{1, 0};
  int good = 0;
  for (int t = 0; t < 200; ++t) {
    const std::size_t arm = agent.select(context, draws);
    agent.reward(arm == 2 ? 1 : 0);
    if (t >= 100 && arm == 2) ++good;
  }
  EXPECT_EQ(good, 100);
}

TEST(P2bAgent, AUserWhoDidNothingReportsNothing) {
  Encoder encoder = fit_encoder({2, 1, 2, EncoderKind::kmeans, 1});
  Model cold(2, 3);
  cold.solve();
  SeededDraws draws(3);
  Agent agent(encoder, cold);
  EXPECT_FALSE(agent.report(0.999999, TupleChoice::uniform, draws));
  EXPECT_THROW(agent.reward(1), std::invalid_argument);
}

double square_distance(std::span<const double> centroid, std::span<const std::uint32_t> counts, double units) {
  double sum = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double gap = counts[i] / units - centroid[i];
    sum += gap * gap;
  }
  return sum;
}

PROPERTY(P2bNearest, AllKernelsFindTheNearest) {
  const auto d = draw_in_range<std::size_t>(1, 90);
  const auto k = draw_in_range<std::size_t>(1, 70);
  SeededDraws draws(draw<std::uint64_t>());
  std::vector<double> centroids(k * d);
  for (double& value : centroids) value = draws.unit();
  std::vector<std::uint32_t> counts(d);
  for (std::uint32_t& count : counts) count = static_cast<std::uint32_t>(draws.below(11));
  const NearestCentroid baseline(centroids, d, 10, *available_nearest_kernels().front());
  const NearestCentroid::Found expected = baseline.find(counts);
  double least = 1e300;
  for (std::size_t c = 0; c < k; ++c) {
    least = std::min(least, square_distance(std::span(centroids).subspan(c * d, d), counts, 10));
  }
  HOLDS(expected.code < k);
  const double found = square_distance(std::span(centroids).subspan(expected.code * d, d), counts, 10);
  HOLDS(found <= least + 1e-9);
  double norm = 0;
  for (const std::uint32_t n : counts) norm += n / 10.0 * n / 10.0;
  HOLDS(std::abs(norm + 2 * expected.score / 10 - found) < 1e-9);
  for (const NearestKernels* kernels : available_nearest_kernels()) {
    const NearestCentroid::Found same = NearestCentroid(centroids, d, 10, *kernels).find(counts);
    HOLDS(same.code == expected.code);
    HOLDS(same.score == expected.score);
  }
}

TEST(P2bNearest, TakesTheFirstAmongEquals) {
  // 40 centroids do not fill the last block of the search.
  std::vector<double> centroids;
  for (int i = 0; i < 40; ++i) centroids.insert(centroids.end(), {i % 2 == 0 ? 1.0 : 0.0, i % 2 == 0 ? 0.0 : 1.0});
  for (const NearestKernels* kernels : available_nearest_kernels()) {
    const NearestCentroid nearest(centroids, 2, 10, *kernels);
    EXPECT_EQ(nearest.find(std::vector<std::uint32_t>{9, 1}).code, 0U);
    EXPECT_EQ(nearest.find(std::vector<std::uint32_t>{1, 9}).code, 1U);
    EXPECT_EQ(nearest.find(std::vector<std::uint32_t>{5, 5}).code, 0U);
  }
}

TEST(P2bNearest, RefusesShapesThatDoNotFit) {
  const std::vector<double> three(3);
  EXPECT_THROW(NearestCentroid(three, 2, 10), std::invalid_argument);
  EXPECT_THROW(NearestCentroid(three, 0, 10), std::invalid_argument);
  EXPECT_THROW(NearestCentroid(std::vector<double>(), 2, 10), std::invalid_argument);
  const NearestCentroid nearest(three, 3, 10);
  EXPECT_THROW((void)nearest.find(std::vector<std::uint32_t>{10}), std::invalid_argument);
}

bool before(const Tuple& a, const Tuple& b) {
  return std::tie(a.code, a.arm, a.reward) < std::tie(b.code, b.arm, b.reward);
}

std::vector<Tuple> sorted(std::vector<Tuple> tuples) {
  std::sort(tuples.begin(), tuples.end(), before);
  return tuples;
}

PROPERTY(P2bShuffle, KeepsExactlyTheTuplesOfFrequentCodes) {
  SeededDraws draws(draw<std::uint64_t>());
  const auto size = draw_in_range<std::size_t>(0, 300);
  const auto threshold = draw_in_range<std::size_t>(1, 20);
  const bool far = draw<bool>();
  std::vector<Tuple> batch;
  std::map<std::uint32_t, std::size_t> counts;
  for (std::size_t i = 0; i < size; ++i) {
    const auto code = static_cast<std::uint32_t>(draws.below(25)) * (far ? 170'000'000U : 1U);
    batch.push_back({code, static_cast<std::uint32_t>(draws.below(3)), draws.unit()});
    ++counts[code];
  }
  std::vector<Tuple> expected;
  for (const Tuple& tuple : batch) {
    if (counts[tuple.code] >= threshold) expected.push_back(tuple);
  }
  std::size_t rare = 0;
  for (const auto& [code, count] : counts) rare += count < threshold ? 1 : 0;

  const ShuffleResult result = shuffle(std::span<const Tuple>(batch), threshold, draws);
  HOLDS(sorted(result.survivors) == sorted(expected));
  HOLDS(result.received == size);
  HOLDS(result.kept == expected.size());
  HOLDS(result.dropped == size - expected.size());
  HOLDS(result.codes_dropped == rare);
}

TEST(P2bShuffle, RefusesAThresholdOfZero) {
  Coins coins = Coins::insecure(1);
  EXPECT_THROW((void)shuffle(std::span<const Tuple>(), 0, coins), InputError);
}

TEST(P2bShuffle, PutsThemInEveryOrderAlikeStatistical) {
  std::vector<Tuple> batch;
  for (std::uint32_t arm = 0; arm < 4; ++arm) batch.push_back({7, arm, 0});
  Coins coins = Coins::insecure(2);
  std::map<std::vector<std::uint32_t>, double> seen;
  constexpr int samples = 48'000;
  for (int i = 0; i < samples; ++i) {
    std::vector<std::uint32_t> order;
    for (const Tuple& tuple : shuffle(std::span<const Tuple>(batch), 4, coins).survivors) order.push_back(tuple.arm);
    seen[order] += 1;
  }
  ASSERT_EQ(seen.size(), 24U);
  double chi = 0;
  for (const auto& [order, n] : seen) chi += (n - samples / 24.0) * (n - samples / 24.0) / (samples / 24.0);
  EXPECT_LT(chi, 23 + 6 * std::sqrt(2 * 23.0));
}

std::vector<double> draw_context(std::size_t d, SeededDraws& draws) {
  std::vector<double> x(d);
  for (double& value : x) value = draws.unit();
  return x;
}

double score_of(const RidgeSums& sums, const std::vector<double>& x, double alpha) {
  return sums.mean(x) + alpha * sums.width(x);
}

PROPERTY(P2bLinUcb, SharedAndOwnModelsScoreAsTheFormulaSays) {
  const auto d = draw_in_range<std::size_t>(1, 13);
  const auto arms = draw_in_range<std::size_t>(1, 6);
  const auto shared_steps = draw_in_range(0, 60);
  const auto own_steps = draw_in_range(0, 40);
  SeededDraws draws(draw<std::uint64_t>());
  const double alpha = 0.7;
  LinUcb shared(d, arms, alpha);
  std::vector<RidgeSums> reference(arms, RidgeSums(d));
  for (int i = 0; i < shared_steps; ++i) {
    const auto x = draw_context(d, draws);
    const std::size_t arm = draws.below(arms);
    const double reward = draws.unit();
    shared.learn(arm, x, 1, reward);
    reference[arm].add(x, reward);
  }
  shared.solve();
  const auto x = draw_context(d, draws);
  std::vector<double> scores(arms);
  shared.scores(x, scores);
  for (std::size_t arm = 0; arm < arms; ++arm) {
    HOLDS(std::abs(scores[arm] - score_of(reference[arm], x, alpha)) < 1e-9);
  }
  OwnLinUcb own(shared);
  own.update(x, 0, 1);
  own.restart();
  const std::vector<RidgeSums> before = reference;
  for (int i = 0; i < own_steps; ++i) {
    const auto own_x = draw_context(d, draws);
    const std::size_t arm = own.select(own_x, draws);
    for (std::size_t other = 0; other < arms; ++other) {
      HOLDS(std::abs(own.scores()[other] - score_of(reference[other], own_x, alpha)) < 1e-9);
      HOLDS(own.scores()[other] <= own.scores()[arm] + tie_tolerance);
    }
    const double reward = draws.unit();
    own.update(own_x, arm, reward);
    reference[arm].add(own_x, reward);
  }
  shared.scores(x, scores);
  for (std::size_t arm = 0; arm < arms; ++arm) {
    HOLDS(std::abs(scores[arm] - score_of(before[arm], x, alpha)) < 1e-9);
  }
}

TEST(P2bLinUcb, WeightsStandForManySamples) {
  LinUcb once(2, 1);
  LinUcb often(2, 1);
  const std::vector<double> x{0.25, 0.5};
  once.learn(0, x, 1000, 300);
  for (int i = 0; i < 1000; ++i) often.learn(0, x, 1, i < 300 ? 1 : 0);
  once.solve();
  often.solve();
  for (int i = 0; i < 2; ++i) EXPECT_EQ(once.theta(0)[i], often.theta(0)[i]);
}

TEST(P2bLinUcb, TiesAreBrokenUniformlyStatistical) {
  const LinUcb shared(3, 4);
  OwnLinUcb own(shared);
  SeededDraws draws(1);
  std::array<double, 4> seen{};
  for (int i = 0; i < 40'000; ++i) seen[own.select(std::vector<double>{0.2, 0.3, 0.5}, draws)] += 1;
  for (const double n : seen) EXPECT_NEAR(n, 10'000, 5 * std::sqrt(40'000 * 0.25 * 0.75));
}

TEST(P2bLinUcb, RefusesMisuse) {
  EXPECT_THROW(LinUcb(0, 1), std::invalid_argument);
  EXPECT_THROW(LinUcb(1, 0), std::invalid_argument);
  LinUcb model(2, 2);
  const std::vector<double> x{1, 0};
  EXPECT_THROW(model.learn(2, x, 1, 1), std::invalid_argument);
  EXPECT_THROW(model.learn(0, std::vector<double>{1}, 1, 1), std::invalid_argument);
  OwnLinUcb own(model);
  EXPECT_THROW(own.update(x, 2, 1), std::invalid_argument);
  EXPECT_THROW(own.update(std::vector<double>{1}, 0, 1), std::invalid_argument);
  model.learn(0, x, 1, 1);
  EXPECT_THROW(OwnLinUcb{model}, std::invalid_argument);
  std::vector<double> out(2);
  EXPECT_THROW(model.scores(x, out), std::invalid_argument);
}

}  // namespace
}  // namespace sotto::apps::p2b
