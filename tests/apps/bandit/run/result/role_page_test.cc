#include "apps/bandit/run/result/role_page.h"
#include "tests/apps/bandit/run/result/results.h"

namespace sotto::apps::bandit::run {
namespace {

BanditRun small_run() {
  BanditRun run;
  run.parties = 2;
  run.steps = 5000;
  run.arms = 4;
  run.max_norm = 1;
  run.batch = 16;
  return run;
}

BanditPlan plan_of_run(const BanditRun& run) {
  BanditParameters parameters;
  parameters.columns = {2, 1};
  parameters.arms = run.arms;
  parameters.steps = run.steps;
  parameters.batch = run.batch;
  parameters.exploration = exploration_of(run.epsilon);
  return plan_bandit(std::move(parameters));
}

std::string page_of(const RoleReport& report, const BanditRun& run) {
  return role_page(report, run, plan_of_run(run), "2026-01-01T00:00:00Z");
}

RoleReport actor_report() {
  RoleReport report;
  report.role = "actor";
  report.rounds = 6200;
  report.bytes_sent = 321'696;
  report.online_seconds = .74;
  report.average_reward = .6344;
  report.reward_curve = {{100, .4, {}}, {5000, .6344, {}}};
  report.pulls = {250, 4000, 250, 500};
  return report;
}

TEST(RoleResult, OfTheActorHasItsRewardAndTheSharesOfItsArms) {
  RoleReport report = actor_report();
  EXPECT_EQ(role_result(report, small_run()),
            "average reward 0.6344 over 5,000 events; arm 1 in 80.0%, arm 3 in 10.0%, arm 0 in 5.0%, 1 more");
  report.from_step = 1000;
  EXPECT_THAT(role_result(report, small_run()), HasSubstr("over 5,000 events, resumed after 1,000;"));
  report.average_reward.reset();  // another role is the rewarder
  EXPECT_THAT(role_result(report, small_run()), StartsWith("arm 1 in 80.0%"));
}

TEST(RoleResult, OfAPartyHasItsDataAndItsAccount) {
  RoleReport report;
  report.role = "party 1";
  report.data = OwnData{"shop.csv", 1797, 10, .707};
  EXPECT_EQ(role_result(report, small_run()), "10 columns of 1,797 rows, norms at most 0.707");
  report.account = ChargedAccount{.5, 1000, 1.5, 4};
  EXPECT_EQ(role_result(report, small_run()),
            "10 columns of 1,797 rows, norms at most 0.707; charged 0.5 to 1,000 subjects, most spent 1.5 of 4");
}

TEST(RoleResult, OfTheDealerIsNothing) {
  RoleReport report;
  report.role = "dealer";
  report.dealt_bytes = 1'000'000;
  EXPECT_EQ(role_result(report, small_run()), "");
  EXPECT_THAT(page_of(report, small_run()), HasSubstr("dealer learned nothing of the run but its cost."));
}

TEST(RolePage, ShowsTheActorItsArmsAndItsCurve) {
  const std::string page = page_of(actor_report(), small_run());
  for (const char* part :
       {"actor: average reward 0.6344 over 5,000 events", "The arms", "80.0%", "4,000", "Average reward so far by step",
        "the arm of each step", "whether the arm was explored", "Privacy"}) {
    EXPECT_THAT(page, HasSubstr(part));
  }
  EXPECT_THAT(page, Not(HasSubstr("The worth of joining")));
  EXPECT_THAT(page, Not(HasSubstr("by itself")));
}

TEST(RolePage, ShowsAPartyOnlyItsOwnDataAndCost) {
  RoleReport report;
  report.role = "party 1";
  report.data = OwnData{"<b>.csv", 1797, 10, .707};
  report.account = ChargedAccount{.5, 1000, 1.5, 4};
  report.insecure = {"insecure-plaintext"};
  const std::string page = page_of(report, small_run());
  for (const char* part : {"&lt;b&gt;.csv", "1,797", "Charged", "most spent 1.5 of 4", "its own features",
                           "Insecure run: insecure-plaintext"}) {
    EXPECT_THAT(page, HasSubstr(part));
  }
  for (const char* part : {"<b>.csv", "The arms", "Average reward"}) EXPECT_THAT(page, Not(HasSubstr(part)));
}

TEST(RolePage, CountsRepeatedStepsInThePrivacyOfTheRun) {
  RoleReport report = actor_report();
  const std::string once = page_of(report, small_run());
  report.steps_begun = 2 * small_run().steps;
  EXPECT_NE(page_of(report, small_run()), once);
}

}  // namespace
}  // namespace sotto::apps::bandit::run
