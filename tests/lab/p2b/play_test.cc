#include "sotto/bench/lab/p2b/play.h"

#include "sotto/apps/p2b/world.h"
#include "sotto/bench/lab/p2b/synthetic_world.h"
#include "tests/lab/interrupts.h"

namespace sotto::apps {
namespace {

std::shared_ptr<const Encoder> encoder_of(std::size_t dimension, std::size_t codes) {
  return std::make_shared<const Encoder>(fit_encoder({dimension, 1, codes, EncoderKind::kmeans, 1}));
}

std::vector<P2bVariant> both(std::size_t dimension, std::size_t codes) {
  const auto encoder = encoder_of(dimension, codes);
  return {{ContextKind::one_hot, encoder}, {ContextKind::centroid, encoder}};
}

// Users of one step each, whose context is a corner of the simplex; the corner's own arm pays.
std::shared_ptr<const TableWorld> corners(std::size_t users, std::size_t steps, std::size_t arms) {
  RecordedContexts recorded{arms, arms, {0}, {}};
  std::vector<float> rewards;
  for (std::size_t u = 0; u < users; ++u) {
    for (std::size_t s = 0; s < steps; ++s) {
      const std::size_t corner = (u * 7 + s * 3 + u / arms) % arms;
      for (std::size_t i = 0; i < arms; ++i) {
        recorded.contexts.push_back(i == corner ? 1 : 0);
        rewards.push_back(i == corner ? 1 : 0);
      }
    }
    recorded.first.push_back((u + 1) * steps);
  }
  return std::make_shared<const TableWorld>(std::move(recorded), std::move(rewards));
}

void expect_same(const PlayOutcome& a, const PlayOutcome& b) {
  EXPECT_EQ(a.cold.reward, b.cold.reward);
  EXPECT_EQ(a.warm.reward, b.warm.reward);
  EXPECT_EQ(a.warm_reports, b.warm_reports);
  ASSERT_EQ(a.variants.size(), b.variants.size());
  for (std::size_t v = 0; v < a.variants.size(); ++v) {
    EXPECT_EQ(a.variants[v].late.reward, b.variants[v].late.reward);
    EXPECT_EQ(a.variants[v].received, b.variants[v].received);
    EXPECT_EQ(a.variants[v].kept, b.variants[v].kept);
  }
}

TEST(PlayP2b, DoesNotDependOnThreads) {
  const SyntheticWorld world({700, 5, 4, 5, .01}, 1);
  const auto variants = both(5, 16);
  PlaySettings settings;
  settings.shuffle_users = true;
  const PlayOutcome one = play_p2b(world, variants, settings, not_interrupted);
  for (const std::size_t threads : {2U, 5U}) {
    settings.threads = threads;
    expect_same(play_p2b(world, variants, settings, not_interrupted), one);
  }
  settings.seed = 2;
  EXPECT_NE(play_p2b(world, variants, settings, not_interrupted).cold.reward, one.cold.reward);
}

TEST(PlayP2b, CountsWhatUsersReportAndTheShufflerDrops) {
  const SyntheticWorld world({1000, 5, 4, 5, .01}, 1);
  const PlaySettings settings;
  const PlayOutcome outcome = play_p2b(world, both(5, 16), settings, not_interrupted);
  EXPECT_EQ(outcome.early, 700u);
  EXPECT_EQ(outcome.late, 300u);
  EXPECT_EQ(outcome.cold.kept, 1500u);
  EXPECT_EQ(outcome.cold.events, 1500u);
  for (const VariantOutcome& variant : outcome.variants) {
    EXPECT_NEAR(static_cast<double>(variant.received), 350, 5 * std::sqrt(700 * .25));
    EXPECT_EQ(variant.received, variant.kept + variant.dropped);
    EXPECT_LE(variant.dropped, variant.codes_dropped * (settings.threshold - 1));
    EXPECT_EQ(variant.late.kept, 1500u);
  }
  EXPECT_TRUE(outcome.best && outcome.uniform && *outcome.best > *outcome.uniform);
}

TEST(PlayP2b, WarmsLateUsersUp) {
  const auto world = corners(600, 2, 4);
  const PlayOutcome outcome = play_p2b(*world, both(4, 16), {}, not_interrupted);
  // Of two steps the first is a guess among four for cold agents, and often the second too.
  EXPECT_LT(outcome.cold.reward, .45);
  EXPECT_GT(outcome.warm.reward, .95);
  for (const VariantOutcome& variant : outcome.variants) EXPECT_GT(variant.late.reward, .95);
  EXPECT_EQ(outcome.best, 1);
  EXPECT_EQ(outcome.uniform, .25);
}

TEST(PlayP2b, GivesEveryLateUserACopyOfItsOwn) {
  // Nobody reports, and each user has one step: one that could see the others' would soon earn 1.
  const auto world = corners(4000, 1, 4);
  PlaySettings settings;
  settings.early = .25;
  settings.p = 1e-9;
  const PlayOutcome outcome = play_p2b(*world, both(4, 16), settings, not_interrupted);
  const double error = 5 * std::sqrt(.25 * .75 / 3000);
  EXPECT_NEAR(outcome.cold.reward, .25, error);
  EXPECT_NEAR(outcome.warm.reward, .25, error);
  for (const VariantOutcome& variant : outcome.variants) {
    EXPECT_NEAR(variant.late.reward, .25, error);
    EXPECT_EQ(variant.received, 0u);
  }
}

TEST(PlayP2b, LearnsNothingFromCodesBelowTheThreshold) {
  const auto world = corners(600, 1, 4);
  PlaySettings settings;
  settings.threshold = 1000;
  const PlayOutcome outcome = play_p2b(*world, both(4, 16), settings, not_interrupted);
  EXPECT_GT(outcome.warm.reward, .95) << "is not thresholded";
  for (const VariantOutcome& variant : outcome.variants) {
    EXPECT_EQ(variant.kept, 0u);
    EXPECT_GT(variant.dropped, 0u);
    EXPECT_NEAR(variant.late.reward, .25, 5 * std::sqrt(.25 * .75 / 180));
  }
}

TEST(PlayP2b, PaysInALogForTheArmsThatWereShown) {
  // Arm 1 was shown and paid at odd users' steps, arm 0 did not pay at the others'.
  RecordedContexts recorded{2, 2, {0}, {}};
  std::vector<std::uint32_t> arms;
  std::vector<float> rewards;
  for (std::size_t u = 0; u < 400; ++u) {
    recorded.contexts.insert(recorded.contexts.end(), {.5, .5, .5, .5});
    for (int s = 0; s < 2; ++s) {
      arms.push_back(static_cast<std::uint32_t>(u % 2));
      rewards.push_back(u % 2 == 1 ? 1 : 0);
    }
    recorded.first.push_back(2 * (u + 1));
  }
  const LogWorld world(std::move(recorded), std::move(arms), std::move(rewards));
  const PlayOutcome outcome = play_p2b(world, both(2, 4), {}, not_interrupted);
  EXPECT_EQ(outcome.cold.events, 240u);
  EXPECT_GT(outcome.cold.kept, 60u);
  EXPECT_LT(outcome.cold.kept, 200u);
  EXPECT_GT(outcome.warm.reward, .9) << "warm agents pick arm 1, and its steps alone are kept";
  EXPECT_LE(outcome.warm.kept, 130u);
  EXPECT_FALSE(outcome.best);
  EXPECT_THROW((void)world.reward(0, 0, {}, 1), std::invalid_argument);
}

TEST(PlayP2b, EndsWhenInterruptedAndRefusesEncodersThatDoNotFit) {
  const SyntheticWorld world({200, 5, 4, 5, .01}, 1);
  EXPECT_THROW((void)play_p2b(world, both(5, 16), {}, interrupted), Interrupted);
  EXPECT_THROW((void)play_p2b(world, both(4, 16), {}, not_interrupted), std::invalid_argument);
}

TEST(EarlyUsers, AreTheShareRoundedDown) {
  EXPECT_EQ(early_users(1428, .7), 999u);
  EXPECT_EQ(early_users(7142, .7), 4999u);
  EXPECT_EQ(early_users(14285, .7), 9999u);
  EXPECT_EQ(early_users(1430, .7), 1001u);
  EXPECT_EQ(early_users(10, 1), 10u);
}

}  // namespace
}  // namespace sotto::apps
