#include "sotto/apps/bandit/plaintext.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "sotto/core/error/errors.h"

namespace sotto::apps {
namespace {

using Vector = std::vector<double>;

// Solves M z = b by Gaussian elimination with partial pivoting: independent of Sherman-Morrison.
Vector solve(std::vector<Vector> matrix, Vector b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k; i < n; ++i) {
      if (std::abs(matrix[i][k]) > std::abs(matrix[pivot][k])) pivot = i;
    }
    std::swap(matrix[k], matrix[pivot]);
    std::swap(b[k], b[pivot]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = matrix[i][k] / matrix[k][k];
      for (std::size_t j = k; j < n; ++j) matrix[i][j] -= factor * matrix[k][j];
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) b[k] -= matrix[k][j] * b[j];
    b[k] /= matrix[k][k];
  }
  return b;
}

Vector random_context(std::mt19937_64& random, std::size_t features) {
  std::normal_distribution<double> normal;
  Vector x(features);
  double squares = 0;
  for (double& value : x) {
    value = normal(random);
    squares += value * value;
  }
  for (double& value : x) value /= std::sqrt(squares);
  return x;
}

RC_GTEST_PROP(PlaintextBandit, WeightsAreRidgeRegressionOfEachArmsSteps, ()) {
  const auto arms = *rc::gen::inRange<std::size_t>(1, 5);
  const auto features = *rc::gen::inRange<std::size_t>(1, 9);
  std::mt19937_64 random(*rc::gen::inRange<std::uint64_t>(0, 1u << 30));
  PlaintextBandit bandit(arms, features, .3, random());
  std::vector<std::vector<Vector>> gram(arms, std::vector<Vector>(features, Vector(features, 0)));
  std::vector<Vector> bias(arms, Vector(features, 0));
  for (std::size_t a = 0; a < arms; ++a) {
    for (std::size_t i = 0; i < features; ++i) gram[a][i][i] = 1;
  }
  for (int t = 0; t < 60; ++t) {
    const Vector x = random_context(random, features);
    const std::size_t arm = bandit.select(x);
    RC_ASSERT(arm < arms);
    const double reward = std::uniform_real_distribution<double>(-1, 1)(random);
    bandit.update(x, arm, reward);
    for (std::size_t i = 0; i < features; ++i) {
      for (std::size_t j = 0; j < features; ++j) gram[arm][i][j] += x[i] * x[j];
      bias[arm][i] += reward * x[i];
    }
  }
  for (std::size_t a = 0; a < arms; ++a) {
    const Vector expected = solve(gram[a], bias[a]);
    for (std::size_t i = 0; i < features; ++i) {
      RC_ASSERT(std::abs(bandit.weights(a)[i] - expected[i]) < 1e-10);
      Vector unit(features, 0);
      unit[i] = 1;
      const Vector column = solve(gram[a], unit);
      for (std::size_t j = 0; j < features; ++j) {
        RC_ASSERT(std::abs(bandit.inverse_matrix(a)[i * features + j] - column[j]) < 1e-10);
      }
    }
  }
}

TEST(PlaintextBandit, BreaksTiesUniformly) {
  PlaintextBandit bandit(4, 2, 0, 7);
  const Vector x{1, 0};
  bandit.update(x, 2, -1);  // arms 0, 1 and 3 tie at score 0
  std::vector<int> counts(4, 0);
  for (int t = 0; t < 30'000; ++t) ++counts[bandit.select(x)];
  EXPECT_EQ(counts[2], 0);
  for (const std::size_t arm : {0u, 1u, 3u}) EXPECT_NEAR(counts[arm], 10'000, 500);
}

TEST(PlaintextBandit, ExploresAsOftenAsEpsilonSays) {
  PlaintextBandit bandit(5, 1, .2, 11);
  const Vector x{1};
  bandit.update(x, 3, 1);
  std::vector<int> counts(5, 0);
  for (int t = 0; t < 50'000; ++t) ++counts[bandit.select(x)];
  EXPECT_NEAR(counts[3], 50'000 * .84, 500);
  EXPECT_NEAR(counts[0], 50'000 * .04, 300);
}

TEST(PlaintextBandit, IsGreedyWithoutExploration) {
  PlaintextBandit bandit(3, 1, 0, 1);
  const Vector x{1};
  bandit.update(x, 1, .5);
  EXPECT_DOUBLE_EQ(bandit.scores(x)[1], .25);
  for (int t = 0; t < 100; ++t) EXPECT_EQ(bandit.select(x), 1u);
}

TEST(PlaintextBandit, RefusesWrongSizes) {
  EXPECT_THROW(PlaintextBandit(0, 1, .1, 0), std::invalid_argument);
  EXPECT_THROW(PlaintextBandit(1, 0, .1, 0), std::invalid_argument);
  EXPECT_THROW(PlaintextBandit(1, 1, 1.1, 0), InputError);
  PlaintextBandit bandit(2, 2, .1, 0);
  EXPECT_THROW(bandit.select(Vector{1}), std::invalid_argument);
  EXPECT_THROW(bandit.update(Vector{1, 0}, 2, 0), std::invalid_argument);
  EXPECT_THROW((void)bandit.weights(2), std::invalid_argument);
}

// Arms reward 1 where they match the sign pattern of the context: linear scores can tell them apart.
PlaintextRun easy_run(double epsilon, std::uint64_t seed) {
  std::vector<Vector> contexts;
  std::mt19937_64 random(5);
  for (int t = 0; t < 2000; ++t) contexts.push_back(random_context(random, 4));
  const auto best = [&](std::uint64_t t) {
    const Vector& x = contexts[t % contexts.size()];
    return static_cast<std::size_t>(std::max_element(x.begin(), x.end()) - x.begin());
  };
  return run_plaintext([&](std::uint64_t t) { return std::span<const double>(contexts[t % contexts.size()]); },
                       [&](std::uint64_t t, std::size_t arm) { return arm == best(t) ? 1.0 : 0.0; }, 4000, 4, 4,
                       epsilon, seed);
}

TEST(RunPlaintext, LearnsAndExploresAndRepeats) {
  const PlaintextRun greedy = easy_run(.02, 3);
  EXPECT_GT(greedy.average_reward, .8);
  EXPECT_EQ(greedy.curve.back().step, 4000u);
  EXPECT_EQ(greedy.curve.back().average_reward, greedy.average_reward);
  EXPECT_NEAR(easy_run(1, 3).average_reward, .25, .04);
  EXPECT_EQ(easy_run(.02, 3).average_reward, greedy.average_reward);
  EXPECT_NE(easy_run(.02, 4).curve[20].average_reward, greedy.curve[20].average_reward);
}

}  // namespace
}  // namespace sotto::apps
