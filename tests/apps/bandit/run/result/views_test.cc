#include "apps/bandit/run/result/views.h"

#include "tests/apps/bandit/run/result/results.h"

namespace sotto::apps::bandit::run {
namespace {

TEST(BanditViews, EveryRoleHasOne) {
  const auto views = bandit_views({{"a.csv", "b.csv"}, 0, {}, true, true, false});
  ASSERT_EQ(views.size(), 5u);
  EXPECT_THAT(views[0].never_sees, AllOf(::testing::Contains("the model"), ::testing::Contains("the arm")));
  EXPECT_EQ(views[4].role, "launcher of this local simulation");
  const auto separate = bandit_views({{"a.csv", "b.csv", "c.csv"}, 0, {}, false, false, true});
  ASSERT_EQ(separate.size(), 6u);
  EXPECT_THAT(separate[0].never_sees, Not(::testing::Contains("the model")));
  EXPECT_THAT(separate[4].never_sees, ::testing::Contains("the reward"));
  EXPECT_THAT(separate[5].never_sees, ::testing::Contains("the arm"));
}

// It chooses which events are constants, and nothing hides the others.
TEST(BanditViews, OfAnEvaluationSayThatTheOwnerOfTheLogReadsSingleCustomers) {
  ViewOptions options{{"a.csv", "b.csv"}, 0, {}, true, false, false};
  options.task = BanditTask::evaluate;
  const RoleView owner = bandit_views(options).back();
  EXPECT_EQ(owner.role, "actor, who has the log");
  EXPECT_THAT(owner.learns,
              ::testing::Contains("so it can read a single customer's features, estimates and greedy arm"));
  EXPECT_THAT(owner.never_sees, ElementsAre("any message of the parties but these sums"));
}

TEST(BanditViews, WithoutADealerThereIsNoneAndNobodyKnowsACoin) {
  const BanditResult result = make_dealerless(small_result());
  ASSERT_EQ(result.views.size(), 5u);
  for (const RoleView& view : result.views) EXPECT_NE(view.role, "dealer");
  EXPECT_THAT(result.views[0].never_sees, ::testing::Contains("whether the arm was explored"));
}

}  // namespace
}  // namespace sotto::apps::bandit::run
