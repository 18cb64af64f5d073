#include "apps/bandit/run/result/worth.h"
#include "tests/apps/bandit/run/result/results.h"

namespace sotto::apps::bandit::run {
namespace {

// The private run earned .7. In plain text, party 0 alone earns .3, party 1 alone earns `second`, and both parties
// together earn .68.
BanditResult joint_result(double second = .5) {
  BanditResult result = small_result();
  result.average_reward = .7;
  result.uniform_average_reward = .1;
  const auto plays = [](const char* name, double reward) {
    return PlainPlays{name, 25, reward, .05, {{1, reward, .05}, {2, reward, .05}}};
  };
  result.parts = {plays("party 0", .3), plays("party 1", second), plays("all together", .68)};
  result.plaintext_average_reward = .68;
  result.plaintext_plays = 25;
  result.sd["plaintext_average_reward"] = .05;
  return result;
}

TEST(Worth, IsTheLiftOverUniformPlayAndOverEachCompany) {
  const Worth worth = *worth_of(joint_result());
  ASSERT_EQ(worth.lifts.size(), 3U);
  EXPECT_EQ(worth.lifts[0].over, "uniform play");
  EXPECT_NEAR(worth.lifts[0].lift, .6, 1e-12);
  EXPECT_EQ(worth.lifts[2].over, "party 1 by itself");
  EXPECT_NEAR(worth.lifts[2].lift, .2, 1e-12);
  EXPECT_FALSE(worth.lifts[2].half_width);
  EXPECT_EQ(worth.joining->best_part, "party 1");
  EXPECT_TRUE(worth.joining->shown);
  EXPECT_EQ(
      worth.sentence,
      "The parties together earned 0.7000 a step: 0.6000 more than uniform play, 0.4000 more than party 0 by "
      "itself and 0.2000 more than party 1 by itself; one run, no interval. By 25 plays in plain text, joining is "
      "worth 0.1800 +- 0.0284 a step over party 1 by itself.");
}

TEST(Worth, OfRepeatedRunsHasIntervals) {
  BanditResult one = joint_result();
  BanditResult two = joint_result();
  one.average_reward = .69;
  two.average_reward = .71;
  const Worth worth = *worth_of(average(std::vector{one, two}));
  // The two runs earned .69 and .71, so the standard error of their mean is .01. With two runs, the 95% interval
  // extends 12.706 standard errors to each side.
  EXPECT_NEAR(*worth.lifts[0].half_width, 12.706 * .01, 1e-4);
  EXPECT_GT(*worth.lifts[1].half_width, 0);
  EXPECT_THAT(worth.sentence, HasSubstr("earned 0.7000 a step (mean of 2 runs): 0.6000 +- 0.1271 more than uniform"));
  EXPECT_THAT(worth.sentence, HasSubstr("; intervals are of 95%."));
}

// The private run may have been lucky, so the plays in plain text decide whether joining is worth anything.
TEST(Worth, IsNothingWhereOneCompanyEarnsAsMuch) {
  for (const double second : {.68, .71, .66}) {
    const Worth worth = *worth_of(joint_result(second));
    EXPECT_FALSE(worth.joining->shown) << second;
    EXPECT_THAT(worth.sentence, StartsWith("Joining is not shown to be worth anything: in plain text all together earn "
                                           "0.6800 a step, and party 1 by itself earns"));
  }
  EXPECT_TRUE(worth_of(joint_result(.62))->joining->shown);
}

TEST(Worth, MayBeLess) {
  BanditResult result = joint_result();
  result.average_reward = .25;
  EXPECT_THAT(worth_of(result)->sentence, HasSubstr("0.0500 less than party 0 by itself"));
}

TEST(Worth, IsToldOverANamedArm) {
  BanditResult result = joint_result();
  result.baseline_arm = ArmPlay{3, .2};
  EXPECT_THAT(worth_of(result)->sentence, HasSubstr("0.5000 more than arm 3"));
}

TEST(Worth, HasNothingToCompareWhereRewardsOfOtherArmsAreNotKnown) {
  BanditResult result = small_result();
  result.plaintext_average_reward.reset();
  EXPECT_EQ(
      worth_of(result)->sentence,
      "The parties together earned 0.5000 a step. The rewards of other arms are not known, so there is nothing to "
      "compare.");
  make_failed(result, "gone");
  EXPECT_FALSE(worth_of(result));
}

TEST(MoneySentence, TakesTheGainOfJoiningWhereItIsShown) {
  BanditResult result = joint_result();
  EXPECT_EQ(money_sentence(result, *worth_of(result)), "");
  result.money = MoneyTerms{"EUR", 30'000};
  EXPECT_EQ(money_sentence(result, *worth_of(result)),
            "At 30,000 events a month that is 5,400 +- 853 EUR a month more than party 1 by itself earns.");
  result = joint_result(.7);
  result.money = MoneyTerms{"EUR", 1000};
  EXPECT_EQ(money_sentence(result, *worth_of(result)),
            "At 1,000 events a month that is 600 EUR a month more than uniform play earns.");
  result.baseline_arm = ArmPlay{3, .8};
  EXPECT_EQ(money_sentence(result, *worth_of(result)),
            "At 1,000 events a month that is 100 EUR a month less than arm 3 earns.");
}

TEST(ReportHtml, ShowsEachPolicyAsADotAndTheLiftAsACurve) {
  const std::string page = report_html(joint_result());
  EXPECT_THAT(page, HasSubstr("The worth of joining"));
  EXPECT_THAT(page, HasSubstr("Lift over party 1 by itself, so far by step"));
  EXPECT_THAT(page, HasSubstr("class=\"dots own\""));
  EXPECT_THAT(page, HasSubstr("mean of 25 plays, sd 0.0500"));
  EXPECT_THAT(page, HasSubstr("joining is worth 0.1800 &plusmn; 0.0284"));
}

TEST(ReportHtml, HasNoEmptyTile) {
  BanditResult result = joint_result();
  result.dealt_bytes_per_step.reset();
  EXPECT_THAT(report_html(result), Not(HasSubstr("&ndash;</dd>")));
}

TEST(ReportHtml, CallsABoundVacuousWhereItIs) {
  BanditResult result = joint_result();
  EXPECT_THAT(report_html(result), Not(HasSubstr("vacuous</dd>")));
  EXPECT_FALSE(is_vacuous(10));
  EXPECT_TRUE(is_vacuous(10.1));
  result.eta_composed = eta_composed(10, .1, 5000);
  EXPECT_THAT(report_html(result), HasSubstr(": vacuous"));
  EXPECT_THAT(summary_text(result), HasSubstr(": vacuous"));
}

}  // namespace
}  // namespace sotto::apps::bandit::run
