#include "sotto/apps/bandit/result.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sotto::apps {
namespace {

using testing::HasSubstr;
using testing::Not;

BanditResult result_of_a_run() {
  BanditResult result;
  result.steps = 60'000;
  result.arms = 10;
  result.features = 20;
  result.parties = 2;
  result.epsilon = .1;
  result.eta_per_action = eta_per_action(10, .1);
  result.eta_composed = eta_composed(10, .1, 60'000);
  result.average_reward = .7675;
  result.plaintext_average_reward = .7681;
  result.rounds_per_step = 7;
  result.bytes_per_step = 30'412;
  result.dealt_bytes_per_step = 78'900;
  result.seconds_per_step = 81.34e-6;
  result.online_seconds = 2.61;
  result.dealer_seconds = 4.4;
  return result;
}

TEST(SummaryText, IsTheseLines) {
  EXPECT_EQ(summary_text(result_of_a_run()),
            "60,000 steps, 2 parties, 20 features, 10 arms, epsilon 0.1\n"
            "  average reward    0.7675\n"
            "  plain-text twin   0.7681      same algorithm without privacy, own randomness\n"
            "  rounds            7           a step\n"
            "  time              81.3 us     a step, all together\n"
            "  sent              30.4 KB     a step, by the largest party\n"
            "  dealt             78.9 KB     a step, to the last party\n"
            "  online            2.61 s\n"
            "  dealer            4.40 s      of CPU time\n"
            "  eta an arm        4.51        log(A/eps) = 4.61\n"
            "  eta of the run    265,825     composed, at delta 1e-06; vacuous for long runs\n");
}

TEST(SummaryText, SaysWhatWasEmulatedAndWhatTheModelSays) {
  BanditResult result = result_of_a_run();
  result.link = net::LinkConditions{std::chrono::milliseconds(20), {}, 100'000'000};
  result.link_model = LinkModel{.14, .002, 0, .0004, .143};
  EXPECT_THAT(
      summary_text(result),
      HasSubstr("  emulated links    delay 20ms, rate 100mbit (no measurement of a network)\n"
                "  model of them     142 ms      a step: 140 ms delay + 2.00 ms bytes / rate + 400 "
                "us arithmetic\n"
                "  measured          143 ms      a step; error of the model -0.4%\n"));
}

TEST(SummaryText, ColoursOnlyWhenAsked) {
  BanditResult result = result_of_a_run();
  result.insecure = {"insecure-seed"};
  EXPECT_THAT(summary_text(result), Not(HasSubstr("\x1b")));
  EXPECT_THAT(summary_text(result), HasSubstr("INSECURE: insecure-seed"));
  EXPECT_THAT(summary_text(result, {true}), HasSubstr("\x1b[1;31mINSECURE"));
}

TEST(SummaryText, SaysUnboundedAndFailed) {
  BanditResult result = result_of_a_run();
  result.epsilon = 0;
  result.eta_per_action = {};
  EXPECT_THAT(summary_text(result), HasSubstr("privacy of arms   unbounded"));
  result.status = RunStatus::failed;
  result.error = "dealer: lost";
  EXPECT_EQ(summary_text(result), "failed: dealer: lost\n");
}

TEST(HumanUnits, KeepThreeDigits) {
  EXPECT_EQ(human_seconds(0), "0 s");
  EXPECT_EQ(human_seconds(8.4e-7), "840 ns");
  EXPECT_EQ(human_seconds(9.996e-7), "1.00 us");
  EXPECT_EQ(human_seconds(41.34e-6), "41.3 us");
  EXPECT_EQ(human_seconds(.5), "500 ms");
  EXPECT_EQ(human_seconds(1.2), "1.20 s");
  EXPECT_EQ(human_seconds(99.96), "1 min 40 s");
  EXPECT_EQ(human_seconds(185), "3 min 05 s");
  EXPECT_EQ(human_seconds(7260), "2 h 01 min");
  EXPECT_EQ(human_bytes(0), "0 B");
  EXPECT_EQ(human_bytes(999), "999 B");
  EXPECT_EQ(human_bytes(999.7), "1.00 KB");
  EXPECT_EQ(human_bytes(30'412), "30.4 KB");
  EXPECT_EQ(human_bytes(1.2e6), "1.20 MB");
  EXPECT_EQ(human_bytes(5e15), "5000 TB");
  EXPECT_EQ(human_count(950), "950");
  EXPECT_EQ(human_count(60'000), "60,000");
  EXPECT_EQ(human_count(-1234567), "-1,234,567");
  EXPECT_EQ(human_count(12.3e6), "12.3 M");
  EXPECT_EQ(human_count(2e9), "2.00 G");
  EXPECT_EQ(human_eta(4.506), "4.51");
  EXPECT_EQ(human_eta(265'825.4), "265,825");
}

}  // namespace
}  // namespace sotto::apps
