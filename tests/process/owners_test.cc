#include "apps/bandit/run/result/role_report.h"
#include "tests/process/role_runs.h"

namespace sotto::testing {
namespace {

class Owners : public InFolder {
 protected:
  // Two parties or owners have three features each, and a third has two features. There are four arms.
  Owners() {
    write_small_run(folder, "0.2,-0.1,0.3", "-0.3,0.25,0.05", 4, 60);
    folder.write("c.csv", rows_in_turn("0.1,0.2", "0.3,-0.1", 60));
  }
  [[nodiscard]] static Words owned(const std::string& command, const std::string& more) {
    return joined(words_of(command + " --environment labels.csv --max-norm 1 --preprocessing replicated"),
                  words_of(more));
  }
};

constexpr const char* three_owners = "--computing-only 3 --owner a.csv --owner b.csv --owner c.csv";

TEST_F(Owners, TheModelIsThatOfTheTwinInStepsAndInBatches) {
  const std::string follow = " --json --compare-plaintext --reveal-model ";
  for (const std::string who :
       {three_owners, "--computing-only 2 --party a.csv --owner b.csv --owner c.csv",
        "--party a.csv --party b.csv --party a.csv --owner c.csv", "--computing-only 1 --party a.csv --party b.csv"}) {
    for (const char* more : {"", "--batch 16 --reward-lag 9 --separate-rewarder"}) {
      const json result = result_of(folder, owned("bandit", who + follow + more));
      EXPECT_EQ(result.at("compare_plaintext").at("steps"), 60) << who << more;
      EXPECT_LT(result.at("compare_plaintext").at("largest_weight_difference"), 5e-3) << who << more;
    }
  }
}

TEST_F(Owners, OfTwoPartiesByTransfersAndWithADealerToo) {
  for (const char* mode : {"ot", "dealer"}) {
    const json result = result_of(
        folder,
        joined(words_of("bandit --environment labels.csv --max-norm 1 --json --compare-plaintext --reveal-model "
                        "--computing-only 1 --party a.csv --owner b.csv --owner c.csv --preprocessing"),
               {mode}));
    EXPECT_LT(result.at("compare_plaintext").at("largest_weight_difference"), 5e-3) << mode;
    EXPECT_EQ(result.at("owners"), 2) << mode;
  }
}

TEST_F(Owners, TheResultNamesThem) {
  const json result = result_of(folder, owned("bandit", std::string(three_owners) + " --json"));
  EXPECT_EQ(result.at("parties"), 3);
  EXPECT_EQ(result.at("computing_only"), 3);
  EXPECT_EQ(result.at("owners"), 3);
  EXPECT_EQ(result.at("features"), 8);
  ASSERT_EQ(result.at("inputs").size(), 3u);
  EXPECT_EQ(result.at("inputs").at(2).at("name"), "owner 2");
  Words views, roles;
  for (const json& view : result.at("views")) views.push_back(view.at("role"));
  for (const json& role : result.at("roles")) roles.push_back(role.at("role"));
  EXPECT_THAT(views, ::testing::Contains("owner 1 (b.csv)"));
  EXPECT_THAT(roles, ::testing::Contains("owner 2"));
}

TEST_F(Owners, ThePlanOfFilesAndOfShapesIsTheRuns) {
  const json run = result_of(folder, owned("bandit", std::string(three_owners) + " --json"));
  const json of_files =
      json::parse(succeed(folder, owned("plan", std::string(three_owners) + " --json --joint-norm-holds")));
  const json of_shapes = json::parse(succeed(
      folder,
      words_of("plan --columns 3,3,2 --owners 3 --computing-only 3 --preprocessing replicated --arms 4 --steps 60 "
               "--max-norm 1 --json")));
  for (const json& plan : {of_files, of_shapes}) {
    EXPECT_EQ(plan.at("owners"), 3);
    EXPECT_EQ(plan.at("computing_only"), 3);
    EXPECT_EQ(plan.at("rounds_per_step"), run.at("rounds_per_step"));
    EXPECT_EQ(plan.at("bytes_per_step"), run.at("bytes_per_step"));
  }
}

TEST_F(Owners, GoOnFromACheckpoint) {
  const std::string out = (folder.path() / "out").string();
  {
    SottoProcess process(folder, owned("bandit", std::string(three_owners) +
                                                     " --steps 700 --checkpoint-every 50 --compare-plaintext "
                                                     "--reveal-model --out " +
                                                     out));
    const fs::path begun = fs::path(out) / "state" / "party_0" / "begun";
    std::uint64_t steps = 0;
    while (steps < 120) {
      process.look_again();
      const std::string bytes = fs::exists(begun) ? contents(begun) : "";
      if (bytes.size() >= sizeof steps) std::memcpy(&steps, bytes.data(), sizeof steps);
    }
    ::kill(process.child("owner_1.toml"), SIGKILL);
    EXPECT_NE(process.wait(), 0);
  }
  EXPECT_THAT(succeed(folder, {"bandit", "--resume", out}), HasSubstr("resumed"));
  const json result = json::parse(contents(fs::path(out) / "run.json"));
  EXPECT_EQ(result.at("status"), "complete");
  EXPECT_EQ(result.at("state").at("epochs"), 2);
  EXPECT_EQ(result.at("compare_plaintext").at("steps"), 700);
  EXPECT_LT(result.at("compare_plaintext").at("largest_weight_difference"), 5e-3);
}

TEST_F(Owners, AreRefusedWhereTheyCannotBe) {
  expect_refused(folder, owned("bandit", "--owner a.csv --owner b.csv"), "2 to 8 parties, 0 given");
  expect_refused(folder, owned("bandit", "--computing-only 2 --owner a.csv"), "needs three compute parties");
  expect_refused(folder, owned("bandit", "--computing-only 3"), "--party is required");
  std::string nine = "--computing-only 3";
  for (int i = 0; i < 9; ++i) nine += " --owner a.csv";
  expect_refused(folder, owned("bandit", nine), "at most 11");
  expect_refused(folder, owned("bandit", "--party a.csv --computing-only 2" + nine.substr(18 + 14)),
                 "1 to 8 roles bring features, not 9");
  expect_refused(folder, words_of("bandit --world unix:w --columns 2,2 --arms 2 --steps 2 --owner a.csv"),
                 "--world excludes --owner");
  expect_refused(folder, owned("plan", std::string(three_owners) + " --owners 3"), "--owners needs --columns");
  expect_refused(folder, words_of("plan --columns 2,2 --owners 3 --arms 2 --steps 2"), "3 owners of 2 numbers");
  expect_refused(folder, words_of("init --parties 8 --owners 4 --steps 9 --arms 3 --out configs"), "at most 11");
  expect_refused(folder, words_of("init --parties 2 --computing-only 2 --steps 9 --arms 3 --out configs"),
                 "1 to 8 roles bring features, not 0");
}

TEST_F(Owners, InitWritesTheirFolders) {
  succeed(folder, words_of("init --parties 3 --computing-only 2 --owners 2 --steps 10 --arms 3 --preprocessing "
                           "replicated --max-norm 1 --out configs"));
  const fs::path configs = folder.path() / "configs";
  EXPECT_THAT(contents(configs / "owner_1" / "config.toml"), HasSubstr("name = \"owner\""));
  EXPECT_THAT(contents(configs / "owner_1" / "config.toml"), HasSubstr("data = \"data.csv\""));
  EXPECT_THAT(contents(configs / "owner_1" / "README.txt"), HasSubstr("sotto owner --config config.toml"));
  // The bound on the norm of a role's row is max_norm / sqrt(3), because three roles contribute features.
  EXPECT_THAT(contents(configs / "owner_1" / "README.txt"), HasSubstr("max_norm / sqrt(3)"));
  EXPECT_THAT(contents(configs / "party_0" / "config.toml"), HasSubstr("data = \"data.csv\""));
  EXPECT_THAT(contents(configs / "party_1" / "config.toml"), ::testing::Not(HasSubstr("data = \"data.csv\"")));
}

class RolesWithOwners : public InFolder {
 protected:
  [[nodiscard]] RunPlan plans_of(RandomnessBy mode) const {
    const std::size_t parties = mode == RandomnessBy::replicated ? 3 : 2;
    return plan_run(folder, {.parties = parties, .preprocessing = mode, .computing_only = parties - 1, .owners = 2});
  }
};

TEST_F(RolesWithOwners, RunFromTheirConfigsAndSendWhatWasPlanned) {
  for (const RandomnessBy mode : {RandomnessBy::replicated, RandomnessBy::ot, RandomnessBy::dealer}) {
    const RunPlan plans = plans_of(mode);
    ASSERT_TRUE(plans.contains("owner_1"));
    const Ends ends = run(folder, plans);
    expect_ends(ends, 0);
    for (const auto& [key, end] : ends) {
      for (const std::string& cell : secret_cells()) EXPECT_THAT(end.output, ::testing::Not(HasSubstr(cell)));
    }
    const std::size_t parties = mode == RandomnessBy::replicated ? 3 : 2;
    for (const auto& [key, role] : plans) {
      const apps::bandit::run::RoleReport report = apps::bandit::run::read_role_report(role.config.report);
      EXPECT_EQ(report.step_rounds, 40u * 6u + 1u) << key;
      if (key == "dealer") continue;
      EXPECT_EQ(report.bytes_sent, report.planned_bytes_sent) << key;
      if (!key.starts_with("owner")) continue;
      // In each step, the owner sends each party a header and two columns.
      EXPECT_EQ(report.step_bytes_sent, 40 * parties * (24 + 2 * 8)) << key;
      EXPECT_EQ(report.arms.size(), 0u);
      EXPECT_FALSE(report.weights);
    }
  }
}

TEST_F(RolesWithOwners, OneThatBringsOtherRowsEndsTheRunAtAll) {
  RunPlan plans = plans_of(RandomnessBy::replicated);
  plans.at("owner_1").config.data = folder.write("other.csv", rows_in_turn("0.1,0.2", "0.3,-0.1", 29));
  expect_ends(run(folder, plans), 5, "owner 1 has 29");
}

TEST_F(RolesWithOwners, BoundsThatAllowLongJointRowsAreNamed) {
  RunPlan plans = plans_of(RandomnessBy::replicated);
  plans.at("owner_0").config.data = folder.write("long.csv", rows_in_turn("0.9,0.2", "0.3,-0.1", 30));
  expect_ends(run(folder, plans), 5, "at owner 0");
}

TEST_F(RolesWithOwners, APartyThatOnlyComputesHasNoData) {
  RunPlan plans = plans_of(RandomnessBy::replicated);
  RolePlan role = plans.at("party_2");
  role.config.data = folder.path() / "party_0.csv";
  expect_role_refused(folder, "party_2", role, "only computes");
  RolePlan owner = plans.at("owner_0");
  owner.config.data.clear();
  expect_role_refused(folder, "owner_0", owner, "[role] lacks data");
}

TEST_F(RolesWithOwners, WhoExpectsOtherHoldersDisagrees) {
  RunPlan plans = plans_of(RandomnessBy::replicated);
  plans.at("party_2").config.computing_only = 1;
  expect_ends(run(folder, plans), 5, "computing_only = ");
}

}  // namespace
}  // namespace sotto::testing
