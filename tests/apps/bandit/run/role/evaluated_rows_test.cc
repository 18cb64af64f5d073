#include "apps/bandit/run/role/evaluated_rows.h"

#include "tests/apps/support.h"
#include "tests/framework.h"

namespace sotto::apps::bandit::run {
namespace {

// Two columns; row 2 is row 0 again.
Table some_rows() {
  Table table;
  table.columns = {"x", "y"};
  table.rows = 5;
  table.values = {.1, .2, .3, .4, .1, .2, .5, .6, .7, .8};
  return table;
}
const std::vector<std::uint64_t> in_order{0, 1, 2, 3, 4};

TEST(EvaluatedRows, WithoutAnAccountSayHowManyRowsOneHas) {
  const TestFolder folder;
  AccountRules rules;
  rules.account_epsilon = .25;
  EXPECT_EQ(EvaluatedRows(rules, some_rows(), in_order, 3).privacy(), (CountPrivacy{.25, 1, false}));
  // Rows that are the same may be about different people.
  EXPECT_EQ(EvaluatedRows(rules, some_rows(), in_order, 5).privacy().rows, 1u);
  rules.rows_per_subject = 4;
  EXPECT_EQ(EvaluatedRows(rules, some_rows(), in_order, 5).privacy().rows, 4u);
  rules.subjects = folder.put("ids", "a\nb\na\na\na\n");
  rules.rows_per_subject = 1;
  EXPECT_EQ(EvaluatedRows(rules, some_rows(), in_order, 5).privacy().rows, 4u);
  EXPECT_EQ(EvaluatedRows(rules, some_rows(), in_order, 2).privacy().rows, 2u);
  rules.subjects = folder.put("ids", "a\nb\n");
  EXPECT_THAT(error_of<InputError>([&] { return EvaluatedRows(rules, some_rows(), in_order, 5).privacy(); }),
              HasSubstr("2 lines, but the data has 5 rows"));
}

TEST(EvaluatedRows, AreChargedOnceAndRefusedByName) {
  const TestFolder folder;
  AccountRules rules;
  rules.account = folder.path() / "account";
  rules.account_epsilon = .75;
  Account::begin(rules.account);
  {
    EvaluatedRows rows(rules, some_rows(), in_order, 3);
    EXPECT_TRUE(rows.privacy().counted);
    EXPECT_FALSE(rows.charged());
    rows.charge("the actor");
    ASSERT_TRUE(rows.charged());
    EXPECT_EQ(rows.charged()->subjects, 3u);
    EXPECT_EQ(rows.charged()->most_spent, .75);
  }
  EvaluatedRows(rules, some_rows(), in_order, 2).charge("the actor");
  // Rows 3 and 4 of the file have spent 1.5 of 2; row 2, which is the first again, .75.
  const std::string refusal =
      error_of<InputError>([&] { return EvaluatedRows(rules, some_rows(), in_order, 5).privacy(); });
  EXPECT_THAT(refusal, AllOf(HasSubstr("2 rows of the data are about whom"), HasSubstr("(rows 4, 5)"),
                             HasSubstr("the budget of 2")));
  // Without them the others still may; what was refused charged nobody.
  EXPECT_EQ(EvaluatedRows(rules, some_rows(), {3, 4, 1}, 1).privacy().rows, 1u);
  rules.budget = 2.25;
  EXPECT_EQ(EvaluatedRows(rules, some_rows(), in_order, 5).privacy().rows, 1u);
}

}  // namespace
}  // namespace sotto::apps::bandit::run
