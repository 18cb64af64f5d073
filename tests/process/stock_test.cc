// `sotto prepare-randomness` and runs on what it has made, of roles that are started one by one.
#include "apps/bandit/run/result/role_report.h"
#include "tests/process/role_runs.h"

namespace sotto::testing {
namespace {



class RunOnAStock : public InFolder {
 protected:
  [[nodiscard]] RunPlan plans_of(RandomnessBy mode) const {
    const bool of_three = mode == RandomnessBy::replicated;
    const std::size_t owners = of_three ? 1 : 0;  // one in the place of a party's features
    RunPlan plans = plan_run(
        folder, {.parties = of_three ? 3u : 2u, .preprocessing = mode, .computing_only = owners, .owners = owners});
    for (auto& [key, role] : plans) role.config.stock = folder.path() / "stocks" / key;
    return plans;
  }
  // `command` instead of the roles' own.
  [[nodiscard]] Ends run_as(const std::string& command, RunPlan plans, const Words& flags = {}) const {
    for (auto& [key, role] : plans) role.command = command;
    return run(folder, plans, flags);
  }
  static void copy_stocks(const fs::path& from, const fs::path& to) {
    fs::remove_all(to);
    fs::copy(from, to, fs::copy_options::recursive);
    for (const auto& entry : fs::recursive_directory_iterator(to)) {
      fs::permissions(entry,
                      entry.is_directory() ? fs::perms::owner_all : fs::perms::owner_read | fs::perms::owner_write);
    }
  }
};

TEST_F(RunOnAStock, MakesNothingAndIsRefusedASecondTime) {
  for (const RandomnessBy mode : {RandomnessBy::replicated, RandomnessBy::ot, RandomnessBy::helper}) {
    fs::remove_all(folder.path() / "stocks");
    const RunPlan plans = plans_of(mode);
    for (const char* time : {"first", "again"}) {
      const Ends prepared = run_as("prepare-randomness", plans);
      expect_ends(prepared, 0);
      for (const auto& [key, end] : prepared) EXPECT_THAT(end.output, HasSubstr("40 of 40 steps")) << key << time;
      const fs::path kept = folder.path() / "kept";
      copy_stocks(folder.path() / "stocks", kept);

      const Ends ends = run(folder, plans);
      expect_ends(ends, 0);
      for (const auto& [key, role] : plans) {
        EXPECT_THAT(ends.at(key).output, HasSubstr("the stock has the randomness of the whole run"));
        const apps::bandit::run::RoleReport report = apps::bandit::run::read_role_report(role.config.report);
        EXPECT_EQ(report.step_rounds, 40u * 6u + 1u);
        EXPECT_LT(report.preprocessing_rounds, 10u) << key;  // of keys alone
        EXPECT_EQ(report.bytes_sent, report.planned_bytes_sent) << key;
      }
      expect_ends(run(folder, plans), 5, "randomness is used once");
      // A copy of all roles' stocks from before the run is none either.
      const fs::path used = folder.path() / "used";
      fs::rename(folder.path() / "stocks", used);
      fs::rename(kept, folder.path() / "stocks");
      expect_role_refused(folder, "party_0", plans.at("party_0"), "is a copy");
      fs::remove_all(folder.path() / "stocks");
      fs::rename(used, folder.path() / "stocks");
    }
  }
}

// An image of all machines from before a run, which is brought back: nobody remembers the run. Other rows would show
// how they differ.
TEST_F(RunOnAStock, IsForTheRowsThatItWasMadeFor) {
  RunPlan plans = plans_of(RandomnessBy::ot);
  expect_ends(run_as("prepare-randomness", plans), 0);
  const fs::path data = plans.at("party_1").config.data;
  const std::string rows = apps::slurp(data);
  const std::size_t last = rows.find_last_of("123456789");
  std::string other = rows;
  other[last] = other[last] == '1' ? '2' : '1';
  std::ofstream(data, std::ios::trunc) << other;
  const Ends ends = run(folder, plans);
  EXPECT_EQ(ends.at("party_1").code, 2);
  for (const auto& [key, end] : ends) {
    EXPECT_NE(end.code, 0) << key;
    EXPECT_THAT(end.output, HasSubstr("the stock was made for other rows than party 1 has now")) << key;
  }
  std::ofstream(data, std::ios::trunc) << rows;
  expect_ends(run_as("prepare-randomness", plans), 0);
  expect_ends(run(folder, plans), 0);
}

TEST_F(RunOnAStock, WhatAKilledRunLeavesIsNeverUsed) {
  RunPlan plans = plans_of(RandomnessBy::replicated);
  for (auto& [key, role] : plans) role.config.steps = 3000;
  expect_ends(run_as("prepare-randomness", plans), 0);
  {
    Processes processes = start_all(folder, plans);
    // Taken: the run has begun at this role.
    while (fs::exists(folder.path() / "stocks" / "party_1" / "stretch_0")) processes.at("party_1")->look_again();
    ::kill(processes.at("party_1")->pid(), SIGKILL);
    for (auto& [key, process] : processes) EXPECT_NE(end_of(*process).code, 0) << key;
  }
  expect_ends(run(folder, plans), 5, "randomness is used once");
}

TEST_F(RunOnAStock, AllRolesHaveAStockOrNone) {
  RunPlan plans = plans_of(RandomnessBy::ot);
  plans.at("actor").config.stock.clear();
  expect_ends(run(folder, plans), 5, "keeps a stock of randomness and actor none");
  expect_role_refused(folder, "actor", RolePlan{"prepare-randomness", plans.at("actor").config}, "--stock");
  plans.at("party_1").command = "prepare-randomness";
  plans.at("actor").config.stock = folder.path() / "stocks" / "actor";
  expect_ends(run(folder, plans), 5, "prepares randomness and");
  RolePlan dealt{"party", plan_run(folder).at("party_0").config};
  dealt.config.stock = folder.path() / "other";
  expect_role_refused(folder, "party_0", dealt, "a dealer makes the randomness");
}

}  // namespace
}  // namespace sotto::testing
