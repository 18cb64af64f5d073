#include "sotto/apps/p2b/agent.h"

#include <gtest/gtest.h>

#include "sotto/apps/kit/data/seeded.h"

namespace sotto::apps {
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
      EXPECT_EQ(
          agent.interactions().back(),
          (Tuple{encoder.encode(context), static_cast<std::uint32_t>(arm), t == 5 ? 1 : 0.5}));
    }
    EXPECT_EQ(agent.clipped(), 1U);
    const auto tuple = agent.report(1 - 1e-12, TupleChoice::uniform, draws);
    ASSERT_TRUE(tuple);
    EXPECT_NE(std::find(agent.interactions().begin(), agent.interactions().end(), *tuple),
              agent.interactions().end());
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

}  // namespace
}  // namespace sotto::apps
