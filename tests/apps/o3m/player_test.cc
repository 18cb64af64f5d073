#include "sotto/apps/o3m/player.h"
#include "tests/framework.h"

namespace sotto::apps {
namespace {

constexpr std::size_t played_arms = 4;
constexpr std::size_t played_dimension = 6;
constexpr std::uint64_t played_steps = 200;

std::vector<double> contexts() {
  std::mt19937_64 random(3);
  std::normal_distribution<double> value(0, 0.4);
  std::vector<double> all(played_steps * played_arms * played_dimension);
  for (double& x : all) x = value(random);
  return all;
}

double reward(std::uint64_t step, std::size_t arm) { return static_cast<double>((step * 7 + arm * 3) % 10) / 10; }

O3mPlayerOptions options(LinearAlgorithm algorithm) {
  O3mPlayerOptions result;
  result.bandit.algorithm = algorithm;
  result.bandit.dimension = played_dimension;
  result.bandit.arms = played_arms;
  result.bandit.stream_seed = 11;
  result.steps = played_steps;
  result.keep_scores = true;
  return result;
}

// Step by step, without the player.
O3mPlay expected(LinearAlgorithm algorithm) {
  const std::vector<double> all = contexts();
  LinearBandit bandit(options(algorithm).bandit);
  O3mPlay play;
  for (std::uint64_t t = 0; t < played_steps; ++t) {
    const auto of_step = std::span(all).subspan(t * played_arms * played_dimension, played_arms * played_dimension);
    const std::size_t arm = bandit.select(t, of_step);
    play.arms.push_back(static_cast<std::uint32_t>(arm));
    play.rewards.push_back(reward(t, arm));
    play.scores.insert(play.scores.end(), bandit.scores().begin(), bandit.scores().end());
    bandit.update(of_step.subspan(arm * played_dimension, played_dimension), play.rewards.back());
  }
  return play;
}

// All at once, in batches, and with contexts that do not fit into memory.
TEST(O3mPlayer, PlaysTheSameHoweverContextsCome) {
  const std::vector<double> all = contexts();
  for (const LinearAlgorithm algorithm : {LinearAlgorithm::ucb, LinearAlgorithm::ts}) {
    const O3mPlay wanted = expected(algorithm);
    for (const std::uint64_t batch : {played_steps, std::uint64_t{7}, std::uint64_t{1}}) {
      for (const std::size_t prefetch : {std::size_t{1} << 30, std::size_t{0}}) {
        O3mPlayerOptions chosen = options(algorithm);
        chosen.prefetch_bytes = prefetch;
        O3mPlayer player(chosen, reward);
        for (std::uint64_t first = 0; first < played_steps; first += batch) {
          const std::size_t count = std::min(batch, played_steps - first) * played_arms * played_dimension;
          player.take(first, std::span(all).subspan(first * played_arms * played_dimension, count));
          EXPECT_EQ(player.played(), prefetch == 0 ? player.taken() : 0);
        }
        const O3mPlay play = player.finish();
        EXPECT_EQ(play.arms, wanted.arms);
        EXPECT_EQ(play.rewards, wanted.rewards);
        EXPECT_EQ(play.scores, wanted.scores);
      }
    }
  }
}

TEST(O3mPlayer, RefusesGapsAndWhatIsMissing) {
  const std::vector<double> all = contexts();
  const std::size_t step = played_arms * played_dimension;
  O3mPlayer player(options(LinearAlgorithm::ucb), reward);
  EXPECT_THROW(player.take(1, std::span(all).first(step)), std::invalid_argument);
  EXPECT_THROW(player.take(0, std::span(all).first(step - 1)), std::invalid_argument);
  player.take(0, std::span(all).first(step));
  EXPECT_THROW(player.take(0, std::span(all).first(step)), std::invalid_argument);
  EXPECT_THROW((void)player.finish(), std::logic_error);
}

}  // namespace
}  // namespace sotto::apps
