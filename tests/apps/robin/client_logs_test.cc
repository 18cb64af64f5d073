#include "sotto/apps/robin/client_logs.h"

#include "sotto/apps/robin/client_pool.h"
#include "sotto/apps/robin/schedule.h"
#include "tests/apps/robin/simulated.h"

namespace sotto::apps {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class ClientLogsTest : public testing::Test {
 protected:
  std::filesystem::path file(const std::string& name, const std::string& text) {
    const auto path = std::filesystem::path(testing::TempDir()) / ("robin_" + name + ".csv");
    std::ofstream(path) << text;
    return path;
  }

  static std::string fault(const std::vector<std::filesystem::path>& files) {
    return error_of<InputError>([&] { (void)read_client_logs(files); });
  }
};

constexpr const char* small_log =
    "t,arm,x,y,reward\n"
    "0,0,1,0,0.5\n0,1,0,1,0.25\n"
    "1,1,0,0.5,2\n1,0,0.5,0,-1\n"  // in any order
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
  EXPECT_EQ(noise(0, 0), 7);  // the reward was 9: it is clipped, and counted, where it is earned
  EXPECT_EQ(noise(1, 0), -7);
  EXPECT_EQ(noise(1, 1), 0);
}

TEST_F(ClientLogsTest, LeftOutDigitsAreNotCountedAsClipped) {
  // Longer than 1 by 4e-7, and by 2e-5.
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
  RobinSettings settings;
  settings.init_phases = 3;
  settings.noise_sd = .01;
  settings.reward_bound = .7;
  settings = resolved(with_logs(settings, logs, false), *logs.instance);
  EXPECT_DOUBLE_EQ(settings.lambda_min, .25);  // half of what even contexts have
  ClientPool pool(settings, logs.instance, 0, 2);
  const std::atomic<bool> go{false};
  std::uint64_t clipped = 0;
  for (const Phase& phase : phases_of(settings)) {
    const std::vector<double> theta{.8, -.6};
    const auto report = pool.play(phase, phase.local ? std::span<const double>{} : std::span(theta), 1, go);
    clipped += report.rewards_clipped;
    EXPECT_TRUE(phase.local || report.regret == 0);  // no noise: theta is never wrong
  }
  EXPECT_GT(clipped, 0U);
}

}  // namespace
}  // namespace sotto::apps
