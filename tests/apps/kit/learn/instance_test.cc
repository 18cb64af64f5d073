#include "sotto/apps/kit/learn/instance.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "sotto/core/error/errors.h"

namespace sotto::apps {
namespace {

double norm(std::span<const double> row) {
  return std::sqrt(std::inner_product(row.begin(), row.end(), row.begin(), 0.0));
}

RC_GTEST_PROP(LinearInstance, GivesUnitVectorsThatDependOnSeedUserAndStepAlone, ()) {
  LinearInstanceOptions options;
  options.dimension = *rc::gen::inRange<std::size_t>(1, 12);
  options.arms = *rc::gen::inRange<std::size_t>(1, 5);
  options.noise_sd = .5;
  options.seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto user = *rc::gen::inRange<std::uint64_t>(0, std::uint64_t{1} << 24);
  const auto step = *rc::gen::inRange<std::uint64_t>(0, std::uint64_t{1} << 38);
  const LinearInstance instance(options);
  RC_ASSERT(std::abs(norm(instance.theta()) - 1) < 1e-12);
  std::vector<double> contexts(options.arms * options.dimension), again(contexts.size());
  instance.contexts(user, step, contexts);
  for (std::size_t arm = 0; arm < options.arms; ++arm) {
    const auto row = std::span(contexts).subspan(arm * options.dimension, options.dimension);
    RC_ASSERT(std::abs(norm(row) - 1) < 1e-12);
    RC_ASSERT(std::abs(instance.mean(row)) <= 1 + 1e-12);
  }
  const LinearInstance twin(options);
  twin.contexts(user ^ 1, step, again);  // what was drawn before changes nothing
  twin.contexts(user, step, again);
  RC_ASSERT(contexts == again);
  RC_ASSERT(instance.noise(user, step) == twin.noise(user, step));
}

TEST(LinearInstance, SeedsUsersAndStepsDiffer) {
  const LinearInstance one({3, 2, 1, 7});
  const LinearInstance other({3, 2, 1, 8});
  std::vector<double> a(6), b(6);
  one.contexts(0, 0, a);
  for (const auto& [user, step] : {std::pair{0, 1}, {1, 0}, {1, 1}}) {
    one.contexts(static_cast<std::uint64_t>(user), static_cast<std::uint64_t>(step), b);
    EXPECT_NE(a, b);
    EXPECT_NE(one.noise(0, 0),
              one.noise(static_cast<std::uint64_t>(user), static_cast<std::uint64_t>(step)));
  }
  other.contexts(0, 0, b);
  EXPECT_NE(a, b);
  EXPECT_NE(one.theta()[0], other.theta()[0]);
}

// Moments of the uniform distribution on the sphere: mean 0, variance 1/d a coordinate, fourth moment
// 3 / (d (d + 2)), no correlation between coordinates or arms.
TEST(LinearInstance, HasTheMomentsOfTheSphereStatistical) {
  constexpr std::size_t d = 5, arms = 3, steps = 40'000;
  const LinearInstance instance({d, arms, .25, 11});
  std::vector<double> contexts(arms * d);
  std::vector<double> mean(arms * d), square(arms * d), fourth(arms * d);
  double noise = 0, noise_square = 0, neighbours = 0, between_arms = 0, means = 0;
  for (std::size_t t = 0; t < steps; ++t) {
    instance.contexts(0, t, contexts);
    for (std::size_t i = 0; i < arms * d; ++i) {
      mean[i] += contexts[i] / steps;
      square[i] += contexts[i] * contexts[i] / steps;
      fourth[i] += std::pow(contexts[i], 4) / steps;
    }
    neighbours += contexts[0] * contexts[1] / steps;
    between_arms += contexts[0] * contexts[d] / steps;
    const double e = instance.noise(0, t);
    noise += e / steps;
    noise_square += e * e / steps;
    means += std::pow(instance.mean(std::span(contexts).first(d)), 2) / steps;
  }
  // Five standard errors of each.
  for (std::size_t i = 0; i < arms * d; ++i) {
    EXPECT_NEAR(mean[i], 0, 5 * std::sqrt(.2 / steps));
    EXPECT_NEAR(square[i], .2, 5 * std::sqrt((3. / 35 - .04) / steps));
    EXPECT_NEAR(fourth[i], 3. / 35, 5 * .2 / std::sqrt(steps));
  }
  EXPECT_NEAR(neighbours, 0, 5 * std::sqrt(1. / 35 / steps));
  EXPECT_NEAR(between_arms, 0, 5 * std::sqrt(.04 / steps));
  EXPECT_NEAR(noise, 0, 5 * .25 / std::sqrt(steps));
  EXPECT_NEAR(noise_square, .0625, 5 * .0625 * std::sqrt(2. / steps));
  EXPECT_NEAR(means, .2, 5 * std::sqrt((3. / 35 - .04) / steps));  // theta has norm 1
}

TEST(LinearInstance, RefusesWhatIsNoInstance) {
  EXPECT_THROW(LinearInstance({0, 2, 0, 1}), InputError);
  EXPECT_THROW(LinearInstance({2, 0, 0, 1}), InputError);
  for (const double noise :
       {-1., std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THROW(LinearInstance({2, 2, noise, 1}), InputError);
  }
  const LinearInstance instance({2, 2, 0, 1});
  std::vector<double> wrong(3), right(4);
  EXPECT_THROW(instance.contexts(0, 0, wrong), std::invalid_argument);
  EXPECT_THROW(instance.contexts(1 << 24, 0, right), std::invalid_argument);
  EXPECT_THROW((void)instance.noise(0, std::uint64_t{1} << 38), std::invalid_argument);
  EXPECT_THROW((void)instance.mean(wrong), std::invalid_argument);
}

}  // namespace
}  // namespace sotto::apps
