#include <fmt/format.h>

#include "apps/o3m/masking.h"
#include "apps/o3m/player.h"
#include "tests/apps/support.h"
#include "tests/linear_algebra.h"

namespace sotto::apps::o3m {
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

// The test computes the expected play step by step, without the player.
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

constexpr std::size_t joint_steps = 60;
constexpr std::size_t joint_arms = 4;

struct Data {
  Data() {
    std::mt19937 random(5);
    std::normal_distribution<double> normal;
    std::string texts[2] = {"t,arm,a,b\n", "t,arm,c,d,e\n"};
    std::string rewards = "t,arm,reward\n";
    for (std::size_t t = 0; t < joint_steps; ++t) {
      for (std::size_t arm = 0; arm < joint_arms; ++arm) {
        const std::string pair = fmt::format("{},{},", t, arm);
        for (std::string& text : texts) text += pair;
        double reward = 0;
        for (int i = 0; i < 5; ++i) {
          const double x = normal(random) / 2;
          reward += x * (i - 2) + normal(random) / 10;
          texts[i < 2 ? 0 : 1] += fmt::format("{}{}", x, i == 1 || i == 4 ? "\n" : ",");
        }
        rewards += fmt::format("{}{}\n", pair, reward);
      }
    }
    inputs = read_o3m_inputs(
        {folder.put("ap.csv", texts[0]), {folder.put("p1.csv", texts[1])}, folder.put("env.csv", rewards)});
    parameters.steps = joint_steps;
    parameters.arms = joint_arms;
    parameters.columns = {2, 3};
  }
  TestFolder folder;
  O3mInputs inputs{{}, O3mEnvironment::read(folder.put("e.csv", "t,arm,reward\n0,0,0\n"))};
  O3mParameters parameters;
};

std::vector<std::uint32_t> plain_arms(const O3mInputs& inputs, double beta) {
  const std::size_t d = inputs.dimension();
  RidgeSums sums(d);
  std::vector<std::uint32_t> chosen;
  std::vector<double> contexts(inputs.arms() * d);
  const auto context_of = [&](std::size_t arm) { return std::span(contexts).subspan(arm * d, d); };
  for (std::size_t t = 0; t < inputs.steps(); ++t) {
    join_contexts(inputs, t, contexts);
    double best = -1e300;
    std::uint32_t best_arm = 0;
    for (std::uint32_t k = 0; k < inputs.arms(); ++k) {
      const double score = sums.mean(context_of(k)) + beta * sums.width(context_of(k));
      if (score > best) {
        best = score;
        best_arm = k;
      }
    }
    sums.add(context_of(best_arm), inputs.environment.reward(t, best_arm));
    chosen.push_back(best_arm);
  }
  return chosen;
}

TEST(CentralTwin, PlaysLinUcbOnTheWholeContexts) {
  const Data data;
  const O3mPlay play = play_central(data.inputs, data.parameters, 3);
  EXPECT_EQ(play.arms, plain_arms(data.inputs, 0.5));
  for (std::size_t t = 0; t < joint_steps; ++t) {
    EXPECT_EQ(play.rewards[t], data.inputs.environment.reward(t, play.arms[t]));
  }
  EXPECT_EQ(play.scores.size(), joint_steps * joint_arms);
  EXPECT_GT(play.seconds, 0);
}

TEST(CentralTwin, AMaskChangesNothingButTheRounding) {
  const Data data;
  for (const LinearAlgorithm algorithm : {LinearAlgorithm::ucb, LinearAlgorithm::ts}) {
    O3mParameters parameters = data.parameters;
    parameters.algorithm = algorithm;
    parameters.v = 0.5;
    const std::vector<double> q = random_orthogonal(5);
    const Eigen::Map<const Eigen::Matrix<double, 5, 5, Eigen::RowMajor>> mask(q.data());
    O3mPlayerOptions options{.bandit = bandit_options(parameters, 77), .steps = joint_steps, .keep_scores = true};
    O3mPlayer player(options,
                     [&](std::uint64_t step, std::size_t arm) { return data.inputs.environment.reward(step, arm); });
    std::vector<double> contexts(joint_arms * 5);
    for (std::size_t t = 0; t < joint_steps; ++t) {
      join_contexts(data.inputs, t, contexts);
      Eigen::Map<Eigen::Matrix<double, joint_arms, 5, Eigen::RowMajor>> rows(contexts.data());
      rows = (rows * mask.transpose()).eval();
      player.take(t, contexts);
    }
    const O3mPlay masked = player.finish();
    const CentralComparison same = compare_with(play_central(data.inputs, parameters, 77), masked.arms, masked.scores);
    EXPECT_TRUE(same.arms_equal);
    EXPECT_LT(same.max_score_difference, 1e-9);
    EXPECT_GT(same.seconds_per_step, 0);
    if (algorithm == LinearAlgorithm::ucb) continue;
    const CentralComparison other = compare_with(play_central(data.inputs, parameters, 78), masked.arms, masked.scores);
    EXPECT_FALSE(other.arms_equal);
    EXPECT_GT(other.max_score_difference, 1e-3);
  }
}

TEST(CentralTwin, NamesTheFirstOtherArm) {
  const Data data;
  const O3mPlay twin = play_central(data.inputs, data.parameters, 3);
  std::vector<std::uint32_t> other = twin.arms;
  other[7] = (other[7] + 1) % joint_arms;
  other[9] = (other[9] + 1) % joint_arms;
  std::vector<double> scores = twin.scores;
  scores[12] += 0.25;
  const CentralComparison comparison = compare_with(twin, other, scores);
  EXPECT_FALSE(comparison.arms_equal);
  EXPECT_EQ(comparison.first_difference, 7u);
  EXPECT_NEAR(comparison.max_score_difference, 0.25, 1e-12);
  EXPECT_THROW((void)compare_with(twin, other, {}), std::invalid_argument);
  EXPECT_THROW((void)compare_with(twin, {}, scores), std::invalid_argument);
}

TEST(CentralTwin, PlaysNoMoreStepsThanThereAre) {
  Data data;
  data.parameters.steps = 10;
  EXPECT_EQ(play_central(data.inputs, data.parameters, 3).arms.size(), 10u);
  data.parameters.steps = joint_steps + 1;
  EXPECT_THROW((void)play_central(data.inputs, data.parameters, 3), std::invalid_argument);
}

}  // namespace
}  // namespace sotto::apps::o3m
