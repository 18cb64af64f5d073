#include "tests/process/sotto_process.h"

namespace sotto::testing {
namespace {

// `sotto bandit` on emulated links: the same run, later; and the error of a link that is cut.

// Three arms, and a seed, so that a run is repeated.
class Links : public ::testing::Test {
 protected:
  Links() { write_small_run(folder_, "0.5,0.1", "-0.2,0.4", 3); }
  static Words with(const std::string& flags) {
    return joined(small_run({"--json", "--insecure-seed", "5"}), words_of(flags));
  }
  TestFolder folder_;
};
using Delays = Links;

TEST_F(Links, DelayChangesNothingButTime) {
  const json plain = result_of(folder_, with("--reveal-model"));
  const json later = result_of(folder_, with("--reveal-model --link-delay 1ms --link-jitter 200us --link-rate 1gbit"));
  for (const char* same :
       {"rounds_per_step", "bytes_per_step", "dealt_bytes_per_step", "average_reward", "weights", "inverse_matrices"}) {
    EXPECT_EQ(plain.at(same), later.at(same)) << same;
  }
  EXPECT_FALSE(plain.contains("link"));
  // Six rounds of a step, each a millisecond at least.
  EXPECT_GE(later.at("seconds_per_step").get<double>(), 6e-3);
}

TEST_F(Links, TheModelStandsBesideTheMeasurement) {
  const json link = result_of(folder_, with("--link-delay 2ms --link-rate 100mbit")).at("link");
  EXPECT_TRUE(link.at("emulated").get<bool>());
  EXPECT_EQ(link.at("bits_per_second"), 100'000'000);
  const json& model = link.at("model");
  EXPECT_NEAR(model.at("delay_seconds_per_step").get<double>(), 12e-3, 1e-6);
  // Nothing takes less than the delays; how much more depends on what else this machine does.
  EXPECT_GE(model.at("measured_seconds_per_step").get<double>(), 12e-3);
  EXPECT_GT(model.at("seconds_per_step").get<double>(), 12e-3);
}

TEST_F(Links, ACutLinkEndsTheRunWithItsError) {
  SottoProcess process(folder_, with("--steps 200000 --link-delay 1ms --link-loss 300ms"));
  expect_end(process, 3, " was lost in round ");
  EXPECT_THAT(process.error(), HasSubstr(": the emulated link was cut"));
  EXPECT_EQ(process.json().at("status"), "failed");
  EXPECT_TRUE(folder_.nothing_left());
}

// Delays of answers in `sotto bandit`, every role a process.

TEST_F(Delays, ChangeNothingButTheTime) {
  const json plain = result_of(folder_, with(""));
  for (const Words& delays :
       {Words{"--pull-delay", "until 2ms"},
        {"--pull-delay", "exponential 500us"},
        {"--separate-rewarder", "--pull-delay", "uniform 0ms 2ms", "--reward-delay", "until 2ms"}}) {
    const json delayed = result_of(folder_, joined(with(""), delays));
    EXPECT_EQ(delayed.at("status"), "complete");
    EXPECT_EQ(delayed.at("average_reward"), plain.at("average_reward"));
  }
}

TEST_F(Delays, ThatCannotBeAreRefusedBeforeTheRun) {
  const std::pair<Words, const char*> cases[] = {
      {{"--pull-delay", "soon"}, "--pull-delay: 'soon' is no delay of answers"},
      {{"--pull-delay", "exponential 3s"}, "is taken for lost"},
      {{"--reward-delay", "until 2ms"}, "needs --separate-rewarder"}};
  for (const auto& [flags, says] : cases) {
    expect_refused(folder_, joined(with(""), flags), says);
    EXPECT_TRUE(folder_.nothing_left());
  }
}

TEST_F(Delays, EndWhenTheRunIsInterrupted) {
  SottoProcess process(folder_, joined(with("--steps 200000"), {"--pull-delay", "until 1ms"}));
  (void)process.busy_child("actor.toml");
  expect_interrupted(process, folder_, 4, SIGINT);
}

}  // namespace
}  // namespace sotto::testing
