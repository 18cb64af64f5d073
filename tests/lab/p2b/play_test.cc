#include "bench/lab/p2b/play.h"
#include "apps/p2b/world.h"
#include "bench/lab/p2b/simulate.h"
#include "bench/lab/p2b/stream.h"
#include "bench/lab/p2b/worlds.h"
#include "tests/apps/support.h"

namespace sotto::apps::lab {

using namespace sotto::apps::p2b;
namespace {

std::shared_ptr<const Encoder> encoder_of(std::size_t dimension, std::size_t codes) {
  return std::make_shared<const Encoder>(fit_encoder({dimension, 1, codes, EncoderKind::kmeans, 1}));
}

std::vector<P2bVariant> both(std::size_t dimension, std::size_t codes) {
  const auto encoder = encoder_of(dimension, codes);
  return {{ContextKind::one_hot, encoder}, {ContextKind::centroid, encoder}};
}

// Simulated users, whose contexts are corners of the simplex. Only the arm with the number of the corner pays.
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
  EXPECT_LT(outcome.cold.reward, .45);
  EXPECT_GT(outcome.warm.reward, .95);
  for (const VariantOutcome& variant : outcome.variants) EXPECT_GT(variant.late.reward, .95);
  EXPECT_EQ(outcome.best, 1);
  EXPECT_EQ(outcome.uniform, .25);
}

TEST(PlayP2b, GivesEveryLateUserACopyOfItsOwn) {
  // No user sends a report, and each user has one step. A user that could see the steps of other users would soon earn
  // 1.
  const auto world = corners(4000, 1, 4);
  PlaySettings settings{.early = .25, .p = 1e-9};
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
  // Arm 1 was shown to users with odd numbers and paid. Arm 0 was shown to users with even numbers and did not pay.
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
  EXPECT_THROW((void)play_p2b(world, both(5, 16), {}, always_interrupted), Interrupted);
  EXPECT_THROW((void)play_p2b(world, both(4, 16), {}, not_interrupted), std::invalid_argument);
}

TEST(EarlyUsers, AreTheShareRoundedDown) {
  const std::tuple<std::size_t, double, std::size_t> cases[] = {
      {1428, .7, 999u}, {7142, .7, 4999u}, {14285, .7, 9999u}, {1430, .7, 1001u}, {10, 1, 10u}};
  for (const auto& [users, share, early] : cases) EXPECT_EQ(early_users(users, share), early);
}

TEST(AdjustedTo, ReadsAPlaneOff) {
  std::vector<double> y, a, b;
  Stream stream({1});
  for (int i = 0; i < 12; ++i) {
    a.push_back(stream.unit());
    b.push_back(stream.unit());
    y.push_back(1 + 2 * a.back() - 3 * b.back());
  }
  const Adjusted at = adjusted_to(y, a, b, .3, .9, 3);
  EXPECT_NEAR(at.value, 1 + .6 - 2.7, 1e-12);
  EXPECT_NEAR(at.error, 0, 1e-12);
}

TEST(AdjustedToStatistical, KnowsItsError) {
  // In about 5% of the cases, the value deviates by more than twice its standard error.
  constexpr int cases = 2000;
  int off = 0;
  Stream stream({2});
  for (int i = 0; i < cases; ++i) {
    std::vector<double> y, a, b;
    const auto draw = [&](double x, double z) { return x - z + .1 * stream.normal(); };
    for (int j = 0; j < 24; ++j) {
      a.push_back(stream.normal());
      b.push_back(a.back() + stream.normal());
      y.push_back(draw(a.back(), b.back()));
    }
    const double theirs = (draw(.5, .2) + draw(.5, .2) + draw(.5, .2)) / 3;
    const Adjusted ours = adjusted_to(y, a, b, .5, .2, 3);
    off += std::abs(ours.value - theirs) > 2 * ours.error ? 1 : 0;
  }
  EXPECT_GT(off, cases * .03);
  EXPECT_LT(off, cases * .09);
}

// Makes 24 repeats with random rewards. In each repeat, the rewards of warm and private agents move with the reward of
// the best policy.
SimulatePoint point_of(std::size_t users, double warm, double p2b) {
  SimulatePoint point;
  point.settings = {users, 10, 10, 10, TupleChoice::published, {{ContextKind::centroid, 1024}}};
  Stream stream({users});
  for (int i = 0; i < 24; ++i) {
    PlayOutcome outcome;
    outcome.best = .186 + .05 * (stream.unit() - .5);
    outcome.cold.reward = .056 + .02 * (stream.unit() - .5);
    outcome.warm.reward = warm + *outcome.best - .186 + .004 * (stream.unit() - .5);
    outcome.variants.resize(1);
    outcome.variants[0].late.reward = p2b + *outcome.best - .186 + .004 * (stream.unit() - .5);
    point.repeats.push_back(outcome);
  }
  return point;
}

TEST(CheckReference, PassesWhatIsWithinAndFailsTheRest) {
  const std::vector<SimulatePoint> points{point_of(1428, .176, .161), point_of(7142, .181, .13)};
  const std::vector<Check> checks = check_reference(points);
  ASSERT_EQ(checks.size(), 6u) << "two of the draws, two of each point";
  const auto find = [&](const std::string& setting, const std::string& quantity) {
    return std::find_if(checks.begin(), checks.end(), [&](const Check& check) {
      return check.setting.starts_with(setting) && check.quantity == quantity;
    });
  };
  EXPECT_TRUE(find("the draws", "best arm")->passed);
  EXPECT_TRUE(find("the draws", "cold")->passed);
  EXPECT_TRUE(find("999", "warm, not private")->passed);
  EXPECT_TRUE(find("999", "P2B, centroid, k = 1024")->passed);
  EXPECT_TRUE(find("4999", "warm, not private")->passed);
  EXPECT_FALSE(find("4999", "P2B, centroid, k = 1024")->passed);
}

TEST(CheckReference, ComparesNothingElse) {
  SimulatePoint uniform = point_of(1428, .176, .161);
  uniform.settings.choice = TupleChoice::uniform;
  SimulatePoint few = point_of(1428, .176, .161);
  few.repeats.resize(least_draws - 1);
  SimulatePoint other = point_of(1428, .176, .161);
  other.settings.arms = 11;
  EXPECT_TRUE(check_reference(std::vector<SimulatePoint>{uniform, few, other}).empty());
}

}  // namespace
}  // namespace sotto::apps::lab
