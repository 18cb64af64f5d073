// `sotto bandit` on emulated links: the same run, later; and the error of a link that is cut.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/process/sotto_process.h"

namespace sotto::testing {
namespace {

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
  const json later = result_of(folder, {"--reveal-model", "--link-delay", "1ms", "--link-jitter",
                                        "200us", "--link-rate", "1gbit"});
  for (const char* same : {"rounds_per_step", "bytes_per_step", "dealt_bytes_per_step",
                           "average_reward", "weights", "inverse_matrices"}) {
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
  SottoProcess process(
      folder, bandit(folder, {"--steps", "200000", "--link-delay", "1ms", "--link-loss", "300ms"}));
  EXPECT_EQ(process.wait(), 3) << process.err();
  EXPECT_NE(process.error().find(" was lost in round "), std::string::npos) << process.err();
  EXPECT_NE(process.error().find(": the emulated link was cut"), std::string::npos)
      << process.err();
  EXPECT_EQ(process.json().at("status"), "failed");
  EXPECT_TRUE(folder.nothing_left());
}

}  // namespace
}  // namespace sotto::testing
