// What a bandit prints when it has ended.
#include "tests/apps/bandit/run/result/results.h"

namespace sotto::apps::bandit::run {
namespace {

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

TEST(SummaryText, SpeaksOfEventsInBatches) {
  BanditResult result = result_of_a_run();
  make_batches(result);
  EXPECT_THAT(
      summary_text(result),
      ::testing::AllOf(HasSubstr("60,000 events in batches of 256, rewards 1,000 events late, 2 parties, "),
                       HasSubstr("  rounds            0.07031     an event: 5 to decide a batch, 13 to learn it\n"
                                 "  time              81.3 us     an event, all together; 12,345 a second\n"
                                 "  sent              30.4 KB     an event, by the largest party\n"),
                       HasSubstr("of CPU time, 35.0 us an event\n"), Not(HasSubstr("step"))));
}

TEST(SummaryText, SaysWhatWasEmulatedAndWhatTheModelSays) {
  BanditResult result = result_of_a_run();
  make_emulated(result);
  EXPECT_THAT(
      summary_text(result),
      HasSubstr("  emulated links    delay 20ms, rate 100mbit (no measurement of a network)\n"
                "  model of them     142 ms      a step: 140 ms delay + 2.00 ms bytes / rate + 400 us arithmetic\n"
                "  measured          143 ms      a step; error of the model -0.4%\n"));
}

TEST(SummaryText, ColoursOnlyWhenAsked) {
  BanditResult result = result_of_a_run();
  result.insecure = {"insecure-seed"};
  EXPECT_THAT(summary_text(result), AllOf(Not(HasSubstr("\x1b")), HasSubstr("INSECURE: insecure-seed")));
  EXPECT_THAT(summary_text(result, {true}), HasSubstr("\x1b[1;31mINSECURE"));
}

TEST(SummaryText, SaysUnboundedAndFailed) {
  BanditResult result = result_of_a_run();
  make_unbounded(result);
  EXPECT_THAT(summary_text(result), HasSubstr("privacy of arms   unbounded"));
  make_failed(result, "dealer: lost");
  EXPECT_EQ(summary_text(result), "failed: dealer: lost\n");
}

}  // namespace
}  // namespace sotto::apps::bandit::run
