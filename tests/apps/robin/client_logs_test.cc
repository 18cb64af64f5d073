#include "apps/robin/client_logs.h"
#include "apps/kit/learn/instance.h"
#include "apps/robin/client_pool.h"
#include "apps/robin/instance.h"
#include "apps/robin/settings.h"
#include "tests/apps/robin/simulated.h"
#include "tests/apps/support.h"
#include "tests/properties.h"

namespace sotto::apps::robin {
namespace {

std::vector<double> numbers_of(const RobinInstance& instance, const StepGroup& group) {
  const std::size_t rows = instance.arms() * instance.dimension();
  std::vector<double> numbers(group.contexts, group.contexts + rows * step_lanes);
  numbers.insert(numbers.end(), group.means, group.means + instance.arms() * step_lanes);
  numbers.insert(numbers.end(), group.noise, group.noise + group.noise_rows * step_lanes);
  return numbers;
}

double gap(const RobinInstance& instance, const StepGroup& group, std::size_t lane) {
  std::vector<double> means;
  for (std::size_t arm = 0; arm < instance.arms(); ++arm) means.push_back(group.means[arm * step_lanes + lane]);
  std::sort(means.rbegin(), means.rend());
  return means[0] - means[1];
}

PROPERTY(SimulatedInstance, IsAFunctionOfSeedClientAndStep) {
  const auto seed = draw<std::uint64_t>();
  RobinSettings settings{.dimension = draw_in_range<std::size_t>(1, 6),
                         .arms = draw_in_range<std::size_t>(2, 5),
                         .margin = draw_one_of({0.0, .1}),
                         .seed = seed};
  const auto instance = simulated_instance(settings);
  const auto client = draw_in_range<std::uint64_t>(0, most_robin_clients);
  const auto start = draw_in_range<std::uint64_t>(0, 1000);
  const auto steps = draw_in_range<std::size_t>(1, 12);
  const auto reader = reader_at(*instance, client, start);
  for (std::size_t i = 0; i < steps; ++i) {
    const auto here = numbers_of(*instance, reader->next());
    const auto other = instance->reader();
    other->seek(client + 1, start);
    (void)other->next();
    other->seek(client, start + i * step_lanes);
    HOLDS(here == numbers_of(*instance, other->next()));
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
  for (std::size_t row = 0; row < 20; ++row) {
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
      for (std::size_t lane = 0; lane < step_lanes; ++lane) least = std::min(least, gap(*instance, group, lane));
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
  settings.arms = 1;
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

class ClientLogsTest : public InFolder {
 protected:
  [[nodiscard]] fs::path file(const std::string& name, const std::string& text) const {
    return folder.put(name + ".csv", text);
  }

  static std::string fault(const std::vector<std::filesystem::path>& files) {
    return error_of<InputError>([&] { (void)read_client_logs(files); });
  }
};

constexpr const char* small_log =
    "t,arm,x,y,reward\n"
    "0,0,1,0,0.5\n0,1,0,1,0.25\n"
    "1,1,0,0.5,2\n1,0,0.5,0,-1\n"
    "2,0,3,4,1\n2,1,0,0,0\n";

TEST_F(ClientLogsTest, ReadsContextsMeansAndNoise) {
  const ClientLogs logs = read_client_logs({file("a", small_log), file("b", small_log)});
  EXPECT_EQ(logs.arms, 2U);
  EXPECT_EQ(logs.steps, 3U);
  EXPECT_FALSE(logs.has_means);
  EXPECT_EQ(logs.features, (std::vector<std::string>{"x", "y"}));
  EXPECT_TRUE(logs.instance->theta().empty());
  EXPECT_EQ(logs.instance->lambda_min(), 0);
  const auto reader = reader_at(*logs.instance, 1, 2);
  const StepGroup group = reader->next();
  const auto context = [&](std::size_t arm, std::size_t j, std::size_t step) {
    return group.contexts[(arm * 2 + j) * step_lanes + step];
  };
  EXPECT_EQ(context(0, 0, 0), 1);
  EXPECT_EQ(context(1, 1, 1), .5);
  EXPECT_DOUBLE_EQ(context(0, 0, 2), .6);  // (3, 4) scaled to norm 1
  EXPECT_DOUBLE_EQ(context(0, 1, 2), .8);
  EXPECT_EQ(group.noise_rows, 2U);
  EXPECT_EQ(group.means[1 * step_lanes + 1], 2);
  EXPECT_EQ(group.noise[1 * step_lanes + 1], 0);
  EXPECT_EQ(logs.instance->features_clipped(0, 0, 3), 1U);
  EXPECT_EQ(logs.instance->features_clipped(0, 0, 2), 0U);
  EXPECT_THROW((void)reader->next(), std::out_of_range);
}

TEST_F(ClientLogsTest, TakesMeansApartFromRewards) {
  const std::string text = "t,arm,mean,x,reward\n1,0,0.5,1,1\n2,0,0.25,1,0\n";
  const ClientLogs logs = read_client_logs({file("m", text), file("n", text)});
  EXPECT_TRUE(logs.has_means);
  const auto reader = reader_at(*logs.instance, 0, 0);
  const StepGroup group = reader->next();
  EXPECT_EQ(group.means[1], .25);
  EXPECT_EQ(group.noise[1], -.25);
}

TEST_F(ClientLogsTest, RegretWithoutMeansIsOfClippedRewards) {
  const std::string text = "t,arm,x,reward\n0,0,1,9\n0,1,1,-9\n1,0,1,0.5\n1,1,1,2\n";
  const ClientLogs logs = read_client_logs({file("r", text), file("s", text)}, 1, 2);
  const auto reader = reader_at(*logs.instance, 0, 0);
  const StepGroup group = reader->next();
  const auto mean = [&](std::size_t arm, std::size_t t) { return group.means[arm * step_lanes + t]; };
  const auto noise = [&](std::size_t arm, std::size_t t) { return group.noise[arm * step_lanes + t]; };
  EXPECT_EQ(mean(0, 0), 2);
  EXPECT_EQ(mean(1, 0), -2);
  EXPECT_EQ(mean(0, 1), .5);
  EXPECT_EQ(mean(1, 1), 2);
  EXPECT_EQ(noise(0, 0), 7);  // the reward 9 is clipped, and counted as clipped when it is earned
  EXPECT_EQ(noise(1, 0), -7);
  EXPECT_EQ(noise(1, 1), 0);
}

TEST_F(ClientLogsTest, LeftOutDigitsAreNotCountedAsClipped) {
  // The norm of one row is 1 + 4e-7, and the norm of another row is 1 + 2e-5.
  const std::string text = "t,arm,x,y,reward\n0,0,0.707107,0.707107,1\n1,0,1.00002,0,1\n2,0,1,0,1\n";
  const ClientLogs logs = read_client_logs({file("u", text), file("v", text)});
  EXPECT_EQ(logs.instance->features_clipped(0, 0, 1), 0U);
  EXPECT_EQ(logs.instance->features_clipped(0, 1, 1), 1U);
  EXPECT_EQ(logs.instance->features_clipped(0, 2, 1), 0U);
  const auto reader = reader_at(*logs.instance, 0, 0);
  const StepGroup group = reader->next();
  EXPECT_LE(std::hypot(group.contexts[0], group.contexts[step_lanes]), 1 + 1e-15);
}

TEST_F(ClientLogsTest, RefusesTheSameFileTwice) {
  const auto path = file("twice", small_log);
  EXPECT_THAT(fault({path, file("once", small_log), path}), HasSubstr("twice.csv is given twice"));
  EXPECT_THAT(fault({path, path.parent_path() / "." / path.filename()}), HasSubstr("given twice"));
}

TEST_F(ClientLogsTest, RefusesWhatIsNoLogAndFilesThatDiffer) {
  const auto good = file("good", small_log);
  EXPECT_THAT(fault({file("not", "t,x,reward\n0,1,1\n")}), HasSubstr(":1: there is no column 'arm'"));
  EXPECT_THAT(fault({file("nox", "t,arm,reward\n0,0,1\n")}), HasSubstr("no feature column"));
  EXPECT_THAT(fault({file("gap", "t,arm,x,reward\n0,0,1,1\n2,0,1,1\n")}), HasSubstr(":3"));
  EXPECT_THAT(fault({file("nan", "t,arm,x,reward\n0,0,nan,1\n")}), HasSubstr(":2:3"));
  EXPECT_THAT(fault({file("big", "t,arm,x,y,reward\n0,0,1e200,1e200,1\n")}),
              HasSubstr(":2:3: the number is larger in size than 1e30"));
  EXPECT_THAT(fault({good, file("dim", "t,arm,x,reward\n0,0,1,1\n0,1,1,1\n")}),
              AllOf(HasSubstr("1 feature column,"), HasSubstr("has 2")));
  EXPECT_THAT(fault({good, file("names", "t,arm,y,x,reward\n0,0,1,1,1\n0,1,1,1,1\n")}),
              HasSubstr("the features are y,x"));
  EXPECT_THAT(fault({good, file("short", "t,arm,x,y,reward\n0,0,1,1,1\n0,1,1,1,1\n")}), HasSubstr("1 step,"));
  EXPECT_THAT(fault({good, file("arms", "t,arm,x,y,reward\n0,0,1,1,1\n1,0,1,1,1\n2,0,1,1,1\n")}), HasSubstr("1 arm,"));
  EXPECT_THAT(fault({good, file("mean", "t,arm,x,y,reward,mean\n0,0,1,1,1,1\n")}), HasSubstr("'mean'"));
  EXPECT_THAT(fault({"/nowhere/log.csv"}), HasSubstr("/nowhere/log.csv"));
}

TEST_F(ClientLogsTest, SettingsFollowTheLogs) {
  const ClientLogs logs = read_client_logs({file("a", small_log), file("b", small_log), file("c", small_log)});
  RobinSettings settings;
  settings = with_logs(settings, logs, false);
  EXPECT_EQ(settings.clients, 3U);
  EXPECT_EQ(settings.dimension, 2U);
  EXPECT_EQ(settings.arms, 2U);
  EXPECT_EQ(settings.horizon, 3U);
  settings.horizon = 2;
  EXPECT_EQ(with_logs(settings, logs, true).horizon, 2U);
  settings.horizon = 4;
  EXPECT_THROW((void)with_logs(settings, logs, true), InputError);
  const ClientLogs one = read_client_logs({file("a", small_log)});
  EXPECT_THROW((void)with_logs(settings, one, false), InputError);
}

TEST_F(ClientLogsTest, PoolsPlayThemAndClipRewards) {
  std::string text = "t,arm,x,y,reward\n";
  for (int t = 0; t < 40; ++t) {
    const double angle = 2.4 * t;
    for (int arm = 0; arm < 2; ++arm) {
      const double x = std::cos(angle + arm), y = std::sin(angle + arm);
      text += std::to_string(t) + "," + std::to_string(arm) + "," + std::to_string(x) + "," + std::to_string(y) + "," +
              std::to_string(.8 * x - .6 * y) + "\n";
    }
  }
  const ClientLogs logs = read_client_logs({file("p", text), file("q", text)});
  RobinSettings settings{.init_phases = 3, .noise_sd = .01, .reward_bound = .7};
  settings = resolved(with_logs(settings, logs, false), *logs.instance);
  EXPECT_DOUBLE_EQ(settings.lambda_min, .25);
  ClientPool pool(settings, logs.instance, 0, 2);
  std::uint64_t clipped = 0;
  for (const Phase& phase : phases_of(settings)) {
    const std::vector<double> theta{.8, -.6};
    const auto report =
        pool.play(phase, phase.local ? std::span<const double>{} : std::span(theta), 1, not_interrupted);
    clipped += report.rewards_clipped;
    EXPECT_TRUE(phase.local || report.regret == 0);
  }
  EXPECT_GT(clipped, 0U);
}

}  // namespace
}  // namespace sotto::apps::robin
