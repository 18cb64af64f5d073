#include "apps/bandit/run/role/evaluated_rows.h"

#include "tests/apps/support.h"
#include "tests/framework.h"

namespace sotto::apps::bandit::run {
namespace {

Table some_rows() {
  Table table;
  table.columns = {"x", "y"};
  table.rows = 5;
  table.values = {.1, .2, .3, .4, .1, .2, .5, .6, .7, .8};
  return table;
}

class EvaluatedRowsOfAParty : public ::testing::Test {
 protected:
  [[nodiscard]] EvaluatedRows rows(std::uint64_t evaluated,
                                   const std::vector<std::uint64_t>& turns = {0, 1, 2, 3, 4}) const {
    return {rules, folder.path() / "rows.csv", some_rows(), turns, evaluated, in_one_bit};
  }
  void evaluate(std::uint64_t evaluated) const {
    EvaluatedRows of = rows(evaluated);
    of.charge("the actor");
    of.draws();
  }

  TestFolder folder;
  bool in_one_bit = false;
  AccountRules rules = [] {
    AccountRules rules;
    rules.uncovered_learning = true;
    return rules;
  }();
};

TEST_F(EvaluatedRowsOfAParty, WithoutAnAccountSayHowManyRowsOneHas) {
  rules.account_epsilon = .25;
  EXPECT_EQ(rows(5).privacy(), (CountPrivacy{.25, 1, false}));
  EXPECT_FALSE(rows(3).position());
  EXPECT_EQ(rows(5).privacy().rows, 1u);
  rules.rows_per_subject = 4;
  EXPECT_EQ(rows(5).privacy().rows, 4u);
  rules.rows_per_subject = 1;
  (void)folder.put("rows.csv.subjects", "a\nb\na\na\nc\n");
  EXPECT_EQ(rows(5).privacy().rows, 3u) << "as it was left beside the data";
  rules.subjects = folder.put("ids", "a\nb\na\na\na\n");
  EXPECT_EQ(rows(5).privacy().rows, 4u);
  EXPECT_EQ(rows(2).privacy().rows, 2u);
  rules.subjects = folder.put("ids", "a\nb\n");
  EXPECT_THAT(error_of<InputError>([&] { return rows(5).privacy(); }), HasSubstr("2 lines, but the data has 5 rows"));
}

TEST_F(EvaluatedRowsOfAParty, AreChargedOnceAndRefusedByName) {
  rules.account = folder.path() / "account";
  rules.account_epsilon = .75;
  Account::begin(rules.account);
  {
    EvaluatedRows of = rows(3);
    EXPECT_TRUE(of.privacy().counted);
    EXPECT_EQ(of.position()->entries, 0u);
    of.charge("the actor");
    of.charge("the actor");
    EXPECT_EQ(of.position()->entries, 1u) << "before anybody hears of it";
    EXPECT_FALSE(of.charged()) << "nothing was drawn";
    of.draws();
    ASSERT_TRUE(of.charged());
    EXPECT_EQ(of.charged()->subjects, 3u);
    EXPECT_EQ(of.charged()->most_spent, .75);
  }
  evaluate(2);
  // Rows are counted from 0. The subjects of rows 3 and 4 have spent 1.5 of the budget of 2. Rows 0 and 2 are equal, so
  // both rows belong to one subject, which has spent .75.
  {
    EvaluatedRows refused = rows(5);
    ASSERT_TRUE(refused.refusal());
    EXPECT_THAT(*refused.refusal(), AllOf(HasSubstr("2 rows of the data are about whom"), HasSubstr("(rows 4 to 5)"),
                                          HasSubstr("the budget of 2")));
    refused.charge("the actor");
    EXPECT_EQ(refused.position()->entries, 2u) << "who is refused is not charged";
  }
  EXPECT_FALSE(rows(1, {3, 4, 1}).refusal());
  rules.budget = 2.25;
  EXPECT_FALSE(rows(5).refusal());
}

TEST_F(EvaluatedRowsOfAParty, CostNothingWhereNoNoiseWasDrawn) {
  rules.account = folder.path() / "account";
  Account::begin(rules.account);
  rows(5).charge("the actor");
  {
    Account account(rules.account);
    EXPECT_EQ(account.most_spent(), 0);
    EXPECT_EQ(account.entries().size(), 2u) << "the charge, and that it is taken back";
  }
  evaluate(5);
  EXPECT_EQ(Account(rules.account).most_spent(), .5);
}

TEST_F(EvaluatedRowsOfAParty, AreForgottenAfterTheDaysThatAreAskedFor) {
  rules.account = folder.path() / "account";
  rules.forget_after = 30;
  Account::begin(rules.account);
  evaluate(5);
  EXPECT_EQ(Account(rules.account).most_spent(), .5);
  {
    Account account(rules.account);
    const std::vector<SubjectKey> one{account.key_of("somebody")};
    EXPECT_EQ(account.forget_before(account.entries()[0].time + 1), 1u) << "as if it were old";
  }
  EXPECT_EQ(rows(5).position()->entries, 1u) << "the entry stays in the chain";
  EXPECT_EQ(Account(rules.account).most_spent(), 0);
}

TEST_F(EvaluatedRowsOfAParty, ThatAreLearnedNeedNoiseOrAWord) {
  EXPECT_TRUE(rows(3).privacy().uncovered_learning);
  EXPECT_FALSE(rows(5).privacy().uncovered_learning) << "nothing is learned";
  rules.uncovered_learning = false;
  EXPECT_FALSE(rows(5).privacy().uncovered_learning);
  EXPECT_THAT(error_of<InputError>([&] { return rows(3).privacy(); }),
              AllOf(HasSubstr("learns from 2 rows"), HasSubstr("learning_epsilon"), HasSubstr("held_out = 1"),
                    HasSubstr("uncovered_learning = true")));
  rules.learning_epsilon = 1;
  rules.subjects = folder.put("ids", "a\na\na\nb\nc\n");
  EXPECT_EQ(rows(3).privacy().learning_epsilon, 1);
  EXPECT_EQ(rows(3).privacy().learned_rows, 2u);
  EXPECT_FALSE(rows(3).privacy().uncovered_learning);
}

TEST_F(EvaluatedRowsOfAParty, ThatAreLearnedMayTellOneBit) {
  rules.uncovered_learning = false;
  EXPECT_THROW((void)rows(3), InputError);
  in_one_bit = true;
  EXPECT_FALSE(rows(3).privacy().uncovered_learning);
  rules.account = folder.path() / "account";
  Account::begin(rules.account);
  evaluate(3);
  Account account(rules.account);
  ASSERT_EQ(account.entries().size(), 1u);
  EXPECT_EQ(account.entries()[0].release.bits, 1u);
  EXPECT_EQ(account.entries()[0].release.epsilon, .5);
}

TEST_F(EvaluatedRowsOfAParty, ThatAreLearnedWithNoiseAreChargedForIt) {
  rules = {};
  rules.account = folder.path() / "account";
  rules.learning_epsilon = 1;
  rules.subjects = folder.put("ids", "a\nb\nb\nc\nd\n");
  Account::begin(rules.account);
  {
    EvaluatedRows of = rows(3);
    of.charge("the actor");
    of.draws();
    EXPECT_EQ(of.charged()->learning_epsilon, 1);
    EXPECT_EQ(of.charged()->most_spent, 1.5);
  }
  {
    Account account(rules.account);
    EXPECT_EQ(account.spent(account.key_of("a")), 1);
    EXPECT_EQ(account.spent(account.key_of("b")), 1.5);
    EXPECT_EQ(account.spent(account.key_of("d")), .5);
    ASSERT_EQ(account.entries().size(), 2u);
    EXPECT_THAT(account.entries()[0].release.about, HasSubstr("learning (delta 1e-06) of 2 rows"));
  }
  const EvaluatedRows again = rows(3);
  ASSERT_TRUE(again.refusal());
  EXPECT_THAT(*again.refusal(), AllOf(HasSubstr("(learning 1)"), HasSubstr("(rows 2 to 3)")));
}

TEST_F(EvaluatedRowsOfAParty, ThatHadIdsNeedThemForAnAccount) {
  (void)folder.put("rows.csv.order", "whatever");
  EXPECT_EQ(rows(5).privacy().rows, 1u) << "nothing is counted";
  rules.account = folder.path() / "account";
  Account::begin(rules.account);
  EXPECT_THAT(error_of<InputError>([&] { return rows(5).privacy(); }),
              AllOf(HasSubstr("rows.csv.subjects: is missing, and the rows have ids"), HasSubstr("[account]")));
  rules.subjects = folder.put("ids", "a\nb\nc\nd\ne\n");
  EXPECT_FALSE(rows(5).refusal());
}

TEST_F(EvaluatedRowsOfAParty, ForgetNothingForGoodBeforeNoiseIsDrawn) {
  rules.account = folder.path() / "account";
  Account::begin(rules.account);
  {
    Account account(rules.account);
    account.charge({fresh_release_id(), "the actor", "long ago", 2}, std::vector{account.key_of("a")}, 2, 1000);
  }
  rules.forget_after = 30;
  rules.subjects = folder.put("ids", "a\nb\nc\nd\ne\n");
  rows(5).charge("the actor");
  EXPECT_EQ(Account(rules.account).most_spent(), 2);
  evaluate(5);
  EXPECT_EQ(Account(rules.account).most_spent(), .5);
}

}  // namespace
}  // namespace sotto::apps::bandit::run
