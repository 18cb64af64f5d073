#include <fmt/format.h>

#include <random>

#include "apps/bandit/run/result/role_report.h"
#include "tests/process/role_runs.h"

namespace sotto::testing {
namespace {

using apps::bandit::BanditTask;
using apps::bandit::run::read_role_report;
using apps::bandit::run::RoleReport;
using ::testing::AllOf;
using ::testing::Not;

class RoleAccounts : public InFolder {
 protected:
  static constexpr int events = 1400;
  static constexpr int evaluated = 1120;

  // Each row is about a customer, who is known by a number.
  [[nodiscard]] RunPlan evaluation() const {
    RunPlan plans = plan_run(folder, {.steps = events, .computing_only = 1, .owners = 1});
    for (auto& [key, role] : plans) {
      auto& config = role.config;
      config.task = BanditTask::evaluate;
      config.held_out = .8;
      config.batch = 70;
      config.environment.clear();
      if (key == "actor") config.log = folder.write("log.csv", log());
      if (config.data.empty()) continue;
      config.data = folder.write(key + ".csv", rows(key == "party_0" ? 1 : 2));
      config.subjects = folder.write(key + "_ids.txt", ids());
      config.account = account_of(key);
      config.account_epsilon = .75;
      config.uncovered_learning = true;
    }
    return plans;
  }
  [[nodiscard]] std::filesystem::path account_of(const std::string& key) const {
    return folder.path() / ("account_" + key);
  }
  [[nodiscard]] double most_spent(const std::string& key) const {
    const json shown = json::parse(succeed(folder, {"account", "show", account_of(key).string(), "--json"}));
    return shown.at("most_spent");
  }
  void begin_accounts() const {
    for (const char* key : {"party_0", "owner_0"}) succeed(folder, {"account", "begin", account_of(key).string()});
  }

 private:
  static std::string rows(unsigned seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> uniform(-.5, .5);
    std::string text = "x,y\n";
    for (int t = 0; t < events; ++t) text += fmt::format("{:.6f},{:.6f}\n", uniform(random), uniform(random));
    return text;
  }
  static std::string log() {
    std::mt19937_64 random(3);
    std::string text = "arm,reward,propensity\n";
    for (int t = 0; t < events; ++t) text += fmt::format("{},{},0.5\n", random() % 2, random() % 2);
    return text;
  }
  static std::string ids() {
    std::string text;
    for (int t = 0; t < events; ++t) text += fmt::format("customer {}\n", std::min(t, events - 2));
    return text;
  }
};

TEST_F(RoleAccounts, AreChargedByEachWhoBringsFeaturesAndRefuseBeyondTheBudget) {
  begin_accounts();
  const RunPlan plans = evaluation();
  for (int time = 1; time <= 2; ++time) {
    const Ends ends = run(folder, plans);
    expect_ends(ends, 0);
    for (const char* key : {"party_0", "owner_0"}) {
      const RoleReport report = read_role_report(plans.at(key).config.report);
      ASSERT_TRUE(report.account) << key;
      EXPECT_EQ(report.account->subjects, evaluated - 1u);
      EXPECT_EQ(report.account->most_spent, .75 * time);
      EXPECT_THAT(ends.at(key).output,
                  HasSubstr(fmt::format("charged 0.75 to 1,119 subjects, most spent {} of 2", .75 * time)));
    }
    const auto evaluation = read_role_report(plans.at("actor").config.report).evaluation;
    ASSERT_TRUE(evaluation);
    ASSERT_EQ(evaluation->noise.size(), 2u);
    for (const auto& noise : evaluation->noise) {
      EXPECT_TRUE(noise.privacy.counted);
      EXPECT_EQ(noise.privacy.rows, 2u) << "the ids say that somebody has two rows";
    }
    EXPECT_FALSE(read_role_report(plans.at("party_1").config.report).account) << "it brings nothing";
    EXPECT_THAT(ends.at("actor").output, Not(HasSubstr("charged")));
  }
  const Ends refused = run(folder, plans);
  expect_ends(refused, 2);
  EXPECT_THAT(refused.at("party_0").output, HasSubstr("1120 rows of the data are about whom"));
  for (const char* key : {"party_1", "actor", "dealer"}) {
    EXPECT_THAT(refused.at(key).output,
                AllOf(HasSubstr("refuses this evaluation, by its account"), Not(HasSubstr("rows of the data"))))
        << key;
  }
  const json shown = json::parse(succeed(folder, {"account", "show", account_of("party_0").string(), "--json"}));
  EXPECT_EQ(shown.at("entries").size(), 2u) << "who refuses is not charged";
  EXPECT_EQ(shown.at("most_spent"), 1.5);
  EXPECT_THAT(shown.at("entries").at(0).at("receiver"), HasSubstr("the actor sha256:"));
  EXPECT_EQ(succeed(folder, {"account", "show", account_of("owner_0").string(), "--id", "customer 1398"}),
            "spent 1.5\n");
  EXPECT_EQ(succeed(folder, {"account", "show", account_of("owner_0").string(), "--id", "customer 0"}), "spent 0\n")
      << "its row was learned";
}

TEST_F(RoleAccounts, CountWhatIsLearnedWithNoise) {
  begin_accounts();
  RunPlan plans = evaluation();
  plans.at("party_0").config.uncovered_learning = false;
  plans.at("party_0").config.learning_epsilon = 1;
  expect_ends(run(folder, plans), 0);
  const RoleReport report = read_role_report(plans.at("party_0").config.report);
  ASSERT_TRUE(report.account);
  EXPECT_EQ(report.account->learning_epsilon, 1);
  EXPECT_EQ(report.account->most_spent, 1);
  const auto evaluation = read_role_report(plans.at("actor").config.report).evaluation;
  ASSERT_TRUE(evaluation);
  ASSERT_EQ(evaluation->noise.size(), 2u);
  EXPECT_EQ(evaluation->noise[0].privacy.learning_epsilon, 1);
  EXPECT_EQ(evaluation->noise[0].privacy.learning_delta, 1e-6);
  EXPECT_FALSE(evaluation->noise[0].privacy.uncovered_learning);
  EXPECT_EQ(evaluation->noise[1].privacy.learning_epsilon, 0);
  EXPECT_TRUE(evaluation->noise[1].privacy.uncovered_learning);
  EXPECT_EQ(succeed(folder, {"account", "show", account_of("party_0").string(), "--id", "customer 0"}), "spent 1\n");
  EXPECT_EQ(succeed(folder, {"account", "show", account_of("owner_0").string(), "--id", "customer 0"}), "spent 0\n");
}

TEST_F(RoleAccounts, RefuseToLearnWhatNothingCovers) {
  RunPlan plans = evaluation();
  plans.at("owner_0").config.uncovered_learning = false;
  expect_role_refused(folder, "owner_0", plans.at("owner_0"), "the model learns from 280 rows of this role");
}

TEST_F(RoleAccounts, NoteAnAnswerInOneBit) {
  begin_accounts();
  RunPlan plans = evaluation();
  for (auto& [key, role] : plans) role.config.uncovered_learning = false;
  plans.at("party_0").config.bit_alone = true;
  EXPECT_THAT(run(folder, plans).at("party_0").output,
              HasSubstr("answers in [account]: this role gives an answer in one bit alone"));
  for (auto& [key, role] : plans) role.config.in_one_bit = true;
  const Ends ends = run(folder, plans);
  expect_ends(ends, 0);
  const auto evaluation = read_role_report(plans.at("actor").config.report).evaluation;
  ASSERT_TRUE(evaluation && evaluation->answer);
  EXPECT_FALSE(evaluation->answer->model_beats_log) << "rewards are at random";
  EXPECT_TRUE(evaluation->cells.empty());
  for (const auto& value : evaluation->policies) EXPECT_NE(value.policy, "model");
  const json shown = json::parse(succeed(folder, {"account", "show", account_of("party_0").string(), "--json"}));
  EXPECT_EQ(shown.at("entries").at(0).at("bits"), 1);
  EXPECT_EQ(shown.at("entries").at(0).at("epsilon"), .75);
  EXPECT_EQ(shown.at("held"), 0);
}

TEST_F(RoleAccounts, ThatAreOldCopiesAreRefused) {
  begin_accounts();
  const RunPlan plans = evaluation();
  const std::filesystem::path account = account_of("party_0");
  const std::filesystem::path copy = folder.path() / "copy";
  std::filesystem::copy_file(account, copy);
  expect_ends(run(folder, plans), 0);
  std::filesystem::rename(copy, account);
  expect_ends(run(folder, plans), 5, "the account of party 0 is one of two copies that were both used");
  EXPECT_EQ(most_spent("party_0"), 0) << "nothing was drawn";
  EXPECT_EQ(most_spent("owner_0"), .75) << "the first run, and not the second";
}

TEST_F(RoleAccounts, CostNothingWhereARunEndsBefore) {
  begin_accounts();
  RunPlan plans = evaluation();
  plans.at("actor").config.log = folder.write("short.csv", "arm,reward,propensity\n0,1,0.5\n1,0,0.5\n");
  expect_ends(run(folder, plans), 2);
  for (const char* key : {"party_0", "owner_0"}) {
    const json shown = json::parse(succeed(folder, {"account", "show", account_of(key).string(), "--json"}));
    EXPECT_EQ(shown.at("most_spent"), 0) << key;
    EXPECT_EQ(shown.at("entries").size(), 2u) << key << ": the charge, and that it is taken back";
  }
  EXPECT_THAT(succeed(folder, {"account", "show", account_of("party_0").string()}),
              AllOf(HasSubstr("(taken back)"), HasSubstr("takes 1 back: nothing was opened")));
}

TEST_F(RoleAccounts, ThatTwoRolesShareAreRefused) {
  begin_accounts();
  RunPlan plans = evaluation();
  std::filesystem::copy_file(account_of("party_0"), account_of("copy"));
  plans.at("owner_0").config.account = account_of("copy");
  expect_ends(run(folder, plans), 5, "party 0 and owner 0 have the same account");
}

TEST_F(RoleAccounts, ThatWereBothUsedArePutTogether) {
  begin_accounts();
  const std::filesystem::path account = account_of("party_0");
  const std::filesystem::path copy = folder.path() / "copy";
  std::filesystem::copy_file(account, copy);
  expect_ends(run(folder, evaluation()), 0);
  EXPECT_EQ(succeed(folder, {"account", "merge", copy.string(), account.string()}), "1 entry taken from the copy\n");
  std::filesystem::rename(copy, account);
  EXPECT_EQ(most_spent("party_0"), .75);
  expect_ends(run(folder, evaluation()), 0);
  EXPECT_EQ(most_spent("party_0"), 1.5);
}

TEST_F(RoleAccounts, ThatAreNotThereAreAskedFor) {
  RunPlan plans = evaluation();
  expect_role_refused(folder, "party_0", plans.at("party_0"), "there is no account: `sotto account begin");
  succeed(folder, {"account", "begin", account_of("party_0").string()});
  plans.at("party_0").config.subjects = folder.write("few.txt", "customer 1\n");
  expect_role_refused(folder, "party_0", plans.at("party_0"), "1 line, but the data has 1400 rows");
}

TEST_F(RoleAccounts, ThatNobodyHasAreMissedInEveryResult) {
  RunPlan plans = evaluation();
  for (const char* key : {"party_0", "owner_0"}) plans.at(key).config.account.clear();
  const Ends ends = run(folder, plans);
  expect_ends(ends, 0);
  EXPECT_THAT(ends.at("party_0").output, HasSubstr("nothing counts this evaluation"));
  const auto evaluation = read_role_report(plans.at("actor").config.report).evaluation;
  ASSERT_TRUE(evaluation);
  for (const auto& noise : evaluation->noise) EXPECT_FALSE(noise.privacy.counted);
}

}  // namespace
}  // namespace sotto::testing
