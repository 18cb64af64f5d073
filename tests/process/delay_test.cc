// Delays of answers in `sotto bandit`, every role a process.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/process/sotto_process.h"

namespace sotto::testing {
namespace {

using nlohmann::json;

std::vector<std::string> bandit(const TestFolder& folder, const std::vector<std::string>& more) {
  std::string features = "a\n";
  std::string labels = "label\n";
  for (int row = 0; row < 30; ++row) {
    features += row % 3 == 0 ? "0.5\n" : "-0.25\n";
    labels += std::to_string(row % 3) + "\n";
  }
  const std::string a = folder.write("a.csv", features);
  const std::string environment = folder.write("labels.csv", labels);
  std::vector<std::string> arguments{"bandit", "--party",         a,           "--party",
                                     a,        "--environment",   environment, "--max-norm",
                                     "1",      "--insecure-seed", "5"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

json played(const TestFolder& folder, const std::vector<std::string>& more) {
  std::vector<std::string> flags{"--json"};
  flags.insert(flags.end(), more.begin(), more.end());
  SottoProcess process(folder, bandit(folder, flags));
  EXPECT_EQ(process.wait(), 0) << process.err();
  return process.json();
}

TEST(Delays, ChangeNothingButTheTime) {
  const TestFolder folder;
  const json plain = played(folder, {});
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{"--pull-delay", "until 2ms"},
        {"--pull-delay", "exponential 500us"},
        {"--separate-rewarder", "--pull-delay", "uniform 0ms 2ms", "--reward-delay",
         "until 2ms"}}) {
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
  for (const Refused& refused :
       {Refused{{"--pull-delay", "soon"}, "--pull-delay: 'soon' is no delay of answers"},
        Refused{{"--pull-delay", "exponential 3s"}, "is taken for lost"},
        Refused{{"--reward-delay", "until 2ms"}, "needs --separate-rewarder"}}) {
    SottoProcess process(folder, bandit(folder, refused.flags));
    EXPECT_EQ(process.wait(), 2);
    EXPECT_NE(process.error().find(refused.text), std::string::npos) << process.error();
    EXPECT_TRUE(folder.nothing_left());
  }
}

TEST(Delays, EndWhenTheRunIsInterrupted) {
  const TestFolder folder;
  SottoProcess process(folder, bandit(folder, {"--pull-delay", "until 1ms", "--steps", "200000"}));
  (void)process.busy_child("actor.toml");
  process.signal(SIGINT);
  EXPECT_EQ(process.wait(), 130);
  EXPECT_TRUE(folder.nothing_left());
}

}  // namespace
}  // namespace sotto::testing
