#include "sotto/apps/robin/instance.h"

#include "sotto/apps/kit/learn/instance.h"
#include "tests/apps/robin/simulated.h"
#include "tests/properties.h"

namespace sotto::apps {
namespace {

using testing::HasSubstr;

std::vector<double> numbers_of(const RobinInstance& instance, const StepGroup& group) {
  const std::size_t rows = instance.arms() * instance.dimension();
  std::vector<double> numbers(group.contexts, group.contexts + rows * step_lanes);
  numbers.insert(numbers.end(), group.means, group.means + instance.arms() * step_lanes);
  numbers.insert(numbers.end(), group.noise, group.noise + group.noise_rows * step_lanes);
  return numbers;
}

double gap(const RobinInstance& instance, const StepGroup& group, std::size_t lane) {
  std::vector<double> means;
  for (std::size_t arm = 0; arm < instance.arms(); ++arm) {
    means.push_back(group.means[arm * step_lanes + lane]);
  }
  std::sort(means.rbegin(), means.rend());
  return means[0] - means[1];
}

RC_GTEST_PROP(SimulatedInstance, IsAFunctionOfSeedClientAndStep, (std::uint64_t seed)) {
  RobinSettings settings;
  settings.seed = seed;
  settings.margin = *rc::gen::element(0.0, .1);
  settings.dimension = *rc::gen::inRange<std::size_t>(1, 6);
  settings.arms = *rc::gen::inRange<std::size_t>(2, 5);
  const auto instance = simulated_instance(settings);
  const auto client = *rc::gen::inRange<std::uint64_t>(0, most_robin_clients);
  const auto start = *rc::gen::inRange<std::uint64_t>(0, 1000);
  const auto steps = *rc::gen::inRange<std::size_t>(1, 12);
  const auto reader = reader_at(*instance, client, start);
  for (std::size_t i = 0; i < steps; ++i) {
    const auto here = numbers_of(*instance, reader->next());
    const auto other = instance->reader();
    other->seek(client + 1, start);  // what was read before changes nothing
    (void)other->next();
    other->seek(client, start + i * step_lanes);
    RC_ASSERT(here == numbers_of(*instance, other->next()));
  }
}

TEST(SimulatedInstance, ClientsStepsAndSeedsDiffer) {
  RobinSettings settings;
  const auto instance = simulated_instance(settings);
  settings.seed = 2;
  const auto another = simulated_instance(settings);
  const auto first = [](const RobinInstance& from, std::uint64_t client, std::uint64_t step) {
    const auto reader = reader_at(from, client, step);
    return numbers_of(from, reader->next());
  };
  const auto here = first(*instance, 0, 0);
  EXPECT_NE(here, first(*instance, 1, 0));
  EXPECT_NE(here, first(*instance, 0, 8));
  EXPECT_NE(here, first(*instance, 0, 32));
  EXPECT_NE(here, first(*another, 0, 0));
  for (std::size_t row = 0; row < 20; ++row) {  // nor do steps of one group agree
    EXPECT_NE(here[row * step_lanes], here[row * step_lanes + 1]);
  }
}

TEST(SimulatedInstance, MeansAreProductsWithThetaOfTheSameSeed) {
  RobinSettings settings;
  settings.seed = 7;
  const auto instance = simulated_instance(settings);
  const LinearInstance linear({4, 5, 1, 7});
  ASSERT_TRUE(std::equal(linear.theta().begin(), linear.theta().end(), instance->theta().begin()));
  const auto reader = reader_at(*instance, 3, 100);
  const StepGroup group = reader->next();
  for (std::size_t arm = 0; arm < 5; ++arm) {
    for (std::size_t lane = 0; lane < step_lanes; ++lane) {
      double product = 0;
      double squares = 0;
      for (std::size_t j = 0; j < 4; ++j) {
        const double x = group.contexts[(arm * 4 + j) * step_lanes + lane];
        product += x * instance->theta()[j];
        squares += x * x;
      }
      EXPECT_NEAR(group.means[arm * step_lanes + lane], product, 1e-14);
      EXPECT_NEAR(squares, 1, 1e-14);
    }
  }
}

TEST(SimulatedInstance, KnowsTheLeastEigenvalueOfTheReference) {
  RobinSettings settings;
  EXPECT_NEAR(simulated_instance(settings)->lambda_min(), .196, .004);
  settings.dimension = 8;
  settings.arms = 10;
  EXPECT_NEAR(simulated_instance(settings)->lambda_min(), .0975, .003);
}

TEST(SimulatedInstance, KeepsTheMargin) {
  RobinSettings settings;
  settings.margin = .3;
  const auto instance = simulated_instance(settings);
  const auto reader = instance->reader();
  double least = 2;
  for (std::uint64_t client = 0; client < 20; ++client) {
    reader->seek(client, 8 * client);
    for (int i = 0; i < 20; ++i) {
      const StepGroup group = reader->next();
      for (std::size_t lane = 0; lane < step_lanes; ++lane) {
        least = std::min(least, gap(*instance, group, lane));
      }
    }
  }
  EXPECT_GE(least, .3);
  EXPECT_LT(least, .32);
}

TEST(SimulatedInstance, RefusesAMarginThatLeavesNoSteps) {
  RobinSettings settings;
  settings.margin = 1.5;
  EXPECT_THAT(error_of<InputError>([&] { (void)simulated_instance(settings); }), HasSubstr("--margin: "));
  settings.margin = 3;
  EXPECT_THROW((void)simulated_instance(settings), InputError);
  settings.arms = 1;  // the best arm has no second
  EXPECT_NO_THROW((void)simulated_instance(settings));
  settings.bound = .5;
  EXPECT_THROW((void)simulated_instance(settings), InputError);
}

TEST(SimulatedInstance, LessDiverseContextsSayLessAboutTheta) {
  RobinSettings settings;
  double before = 1;
  for (const double diversity : {1.0, .5, .2}) {
    settings.diversity = diversity;
    const auto instance = simulated_instance(settings);
    EXPECT_LT(instance->lambda_min(), before);
    before = instance->lambda_min();
    const auto reader = reader_at(*instance, 0, 0);
    const StepGroup group = reader->next();
    double squares = 0;
    for (std::size_t j = 0; j < 4; ++j) squares += std::pow(group.contexts[j * step_lanes], 2);
    EXPECT_NEAR(squares, 1, 1e-14);
  }
  EXPECT_LT(before, .1);
}

TEST(SimulatedInstance, NoiseHasItsDeviationStatistical) {
  RobinSettings settings;
  settings.noise_sd = .5;
  const auto instance = simulated_instance(settings);
  const auto reader = reader_at(*instance, 1, 0);
  double squares = 0;
  constexpr int groups = 20'000;
  for (int i = 0; i < groups; ++i) {
    const StepGroup group = reader->next();
    for (std::size_t lane = 0; lane < step_lanes; ++lane) squares += std::pow(group.noise[lane], 2);
  }
  const double n = groups * step_lanes;
  EXPECT_NEAR(squares / n, .25, .25 * 5 * std::sqrt(2 / n));
}

TEST(Resolved, TakesLambdaMinFromTheInstanceUnlessItIsSaid) {
  RobinSettings settings;
  const auto instance = simulated_instance(settings);
  EXPECT_EQ(resolved(settings, *instance).lambda_min, instance->lambda_min());
  settings.lambda_min = .1;
  EXPECT_EQ(resolved(settings, *instance).lambda_min, .1);
  settings.arms = 4;
  EXPECT_THROW((void)resolved(settings, *instance), std::invalid_argument);
}

}  // namespace
}  // namespace sotto::apps
