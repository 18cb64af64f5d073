#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/process/sotto_process.h"

namespace sotto::testing {
namespace {

// `sotto bandit` on emulated links: the same run, later; and the error of a link that is cut.

using nlohmann::json;

std::vector<std::string> bandit(const TestFolder& folder, const std::vector<std::string>& more) {
  std::string rows = "a,b\n";
  std::string labels = "label\n";
  for (int row = 0; row < 20; ++row) {
    rows += row % 2 == 0 ? "0.5,0.1\n" : "-0.2,0.4\n";
    labels += std::to_string(row % 3) + "\n";
  }
  const std::string a = folder.write("a.csv", rows);
  const std::string b = folder.write("b.csv", rows);
  const std::string environment = folder.write("labels.csv", labels);
  std::vector<std::string> arguments{
      "bandit",     "--party", a,        "--party",         b,  "--environment", environment,
      "--max-norm", "1",       "--json", "--insecure-seed", "5"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

json result_of(const TestFolder& folder, const std::vector<std::string>& more) {
  SottoProcess process(folder, bandit(folder, more));
  EXPECT_EQ(process.wait(), 0) << process.err();
  return process.json();
}

TEST(Links, DelayChangesNothingButTime) {
  const TestFolder folder;
  const json plain = result_of(folder, {"--reveal-model"});
  const json later =
      result_of(folder, {"--reveal-model", "--link-delay", "1ms", "--link-jitter", "200us", "--link-rate", "1gbit"});
  for (const char* same :
       {"rounds_per_step", "bytes_per_step", "dealt_bytes_per_step", "average_reward", "weights", "inverse_matrices"}) {
    EXPECT_EQ(plain.at(same), later.at(same)) << same;
  }
  EXPECT_FALSE(plain.contains("link"));
  // Seven rounds of a step, each a millisecond at least.
  EXPECT_GE(later.at("seconds_per_step").get<double>(), 7e-3);
}

TEST(Links, TheModelStandsBesideTheMeasurement) {
  const TestFolder folder;
  const json link = result_of(folder, {"--link-delay", "2ms", "--link-rate", "100mbit"}).at("link");
  EXPECT_TRUE(link.at("emulated").get<bool>());
  EXPECT_EQ(link.at("bits_per_second"), 100'000'000);
  const json& model = link.at("model");
  EXPECT_NEAR(model.at("delay_seconds_per_step").get<double>(), 14e-3, 1e-6);
  // Nothing takes less than the delays; how much more depends on what else this machine does.
  EXPECT_GE(model.at("measured_seconds_per_step").get<double>(), 14e-3);
  EXPECT_GT(model.at("seconds_per_step").get<double>(), 14e-3);
}

TEST(Links, ACutLinkEndsTheRunWithItsError) {
  const TestFolder folder;
  SottoProcess process(folder, bandit(folder, {"--steps", "200000", "--link-delay", "1ms", "--link-loss", "300ms"}));
  EXPECT_EQ(process.wait(), 3) << process.err();
  EXPECT_NE(process.error().find(" was lost in round "), std::string::npos) << process.err();
  EXPECT_NE(process.error().find(": the emulated link was cut"), std::string::npos) << process.err();
  EXPECT_EQ(process.json().at("status"), "failed");
  EXPECT_TRUE(folder.nothing_left());
}

// Delays of answers in `sotto bandit`, every role a process.

std::vector<std::string> delayed_bandit(const TestFolder& folder, const std::vector<std::string>& more) {
  std::string features = "a\n";
  std::string labels = "label\n";
  for (int row = 0; row < 30; ++row) {
    features += row % 3 == 0 ? "0.5\n" : "-0.25\n";
    labels += std::to_string(row % 3) + "\n";
  }
  const std::string a = folder.write("a.csv", features);
  const std::string environment = folder.write("labels.csv", labels);
  std::vector<std::string> arguments{"bandit",    "--party",    a,   "--party",         a,  "--environment",
                                     environment, "--max-norm", "1", "--insecure-seed", "5"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

json played(const TestFolder& folder, const std::vector<std::string>& more) {
  std::vector<std::string> flags{"--json"};
  flags.insert(flags.end(), more.begin(), more.end());
  SottoProcess process(folder, delayed_bandit(folder, flags));
  EXPECT_EQ(process.wait(), 0) << process.err();
  return process.json();
}

TEST(Delays, ChangeNothingButTheTime) {
  const TestFolder folder;
  const json plain = played(folder, {});
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{"--pull-delay", "until 2ms"},
        {"--pull-delay", "exponential 500us"},
        {"--separate-rewarder", "--pull-delay", "uniform 0ms 2ms", "--reward-delay", "until 2ms"}}) {
    const json delayed = played(folder, more);
    EXPECT_EQ(delayed.at("status"), "complete");
    EXPECT_EQ(delayed.at("average_reward"), plain.at("average_reward"));
  }
}

TEST(Delays, ThatCannotBeAreRefusedBeforeTheRun) {
  const TestFolder folder;
  struct Refused {
    std::vector<std::string> flags;
    std::string text;
  };
  for (const Refused& refused : {Refused{{"--pull-delay", "soon"}, "--pull-delay: 'soon' is no delay of answers"},
                                 Refused{{"--pull-delay", "exponential 3s"}, "is taken for lost"},
                                 Refused{{"--reward-delay", "until 2ms"}, "needs --separate-rewarder"}}) {
    SottoProcess process(folder, delayed_bandit(folder, refused.flags));
    EXPECT_EQ(process.wait(), 2);
    EXPECT_NE(process.error().find(refused.text), std::string::npos) << process.error();
    EXPECT_TRUE(folder.nothing_left());
  }
}

TEST(Delays, EndWhenTheRunIsInterrupted) {
  const TestFolder folder;
  SottoProcess process(folder, delayed_bandit(folder, {"--pull-delay", "until 1ms", "--steps", "200000"}));
  (void)process.busy_child("actor.toml");
  process.signal(SIGINT);
  EXPECT_EQ(process.wait(), 130);
  EXPECT_TRUE(folder.nothing_left());
}

}  // namespace
}  // namespace sotto::testing
