#include "apps/bandit/run/result/role_report.h"
#include "tests/process/role_runs.h"

namespace sotto::testing {
namespace {

constexpr RandomnessBy modes[] = {RandomnessBy::replicated, RandomnessBy::ot, RandomnessBy::helper};
std::size_t parties_of(RandomnessBy mode) { return mode == RandomnessBy::replicated ? 3 : 2; }

// Two parties have three features each, and a third party has two features. There are four arms.
class WithoutADealer : public InFolder {
 protected:
  WithoutADealer() {
    write_small_run(folder, "0.2,-0.1,0.3", "-0.3,0.25,0.05", 4, 60);
    folder.write("c.csv", rows_in_turn("0.1,0.2", "0.3,-0.1", 60));
  }
  [[nodiscard]] static Words of_mode(RandomnessBy mode, const std::string& more = "") {
    const Words parties = mode == RandomnessBy::replicated ? Words{"--party", "c.csv"} : Words{};
    return small_run(joined(joined(parties, {"--preprocessing", name_of(mode)}), words_of(more)));
  }
};

TEST_F(WithoutADealer, ALocalRunHasTheSameStepsAndNoDealer) {
  for (const RandomnessBy mode : modes) {
    for (const char* more : {"", "--separate-rewarder --steps 130"}) {
      const json result = result_of(folder, of_mode(mode, std::string("--json ") + more));
      EXPECT_EQ(result.at("status"), "complete");
      EXPECT_EQ(result.at("preprocessing"), name_of(mode));
      EXPECT_EQ(result.at("rounds_per_step"), 6 + 1 / result.at("steps").get<double>());
      EXPECT_GT(result.at("preprocessing_rounds_per_step"), 0.0);
      EXPECT_GT(result.at("preprocessing_bytes_per_step"), 0.0);
      EXPECT_GT(result.at("preprocessing_seconds"), 0.0);
      for (const char* of_dealer : {"dealt_bytes_per_step", "dealer_seconds", "dealer_seconds_per_event"}) {
        EXPECT_TRUE(result.at(of_dealer).is_null()) << of_dealer;
      }
      for (const json& role : result.at("roles")) EXPECT_NE(role.at("role"), "dealer");
      std::size_t helpers = 0;
      for (const json& view : result.at("views")) {
        EXPECT_NE(view.at("role"), "dealer");
        helpers += view.at("role") == "helper" ? 1 : 0;
      }
      EXPECT_EQ(helpers, mode == RandomnessBy::helper ? 1u : 0u);
    }
  }
}

TEST_F(WithoutADealer, TheModelIsThatOfTheTwinInStepsAndInBatches) {
  for (const RandomnessBy mode : modes) {
    for (const char* more : {"", "--batch 16 --reward-lag 9 --separate-rewarder", "--batch 7"}) {
      const json result =
          result_of(folder, of_mode(mode, std::string("--json --compare-plaintext --reveal-model ") + more));
      EXPECT_EQ(result.at("compare_plaintext").at("steps"), 60) << more;
      EXPECT_LT(result.at("compare_plaintext").at("largest_weight_difference"), 5e-3) << more;
    }
  }
}

TEST_F(WithoutADealer, ThePlanSaysWhatIsMadeAhead) {
  for (const RandomnessBy mode : modes) {
    for (const char* more : {"", "--batch 16"}) {
      const json run = result_of(folder, of_mode(mode, std::string("--json ") + more));
      Words planned = of_mode(mode, std::string("--json --joint-norm-holds ") + more);
      planned.front() = "plan";
      const json plan = json::parse(succeed(folder, planned));
      EXPECT_EQ(plan.at("preprocessing"), name_of(mode));
      const double steps = run.at("steps").get<double>();
      const auto of_run = [&](const char* name) { return run.at(name).get<double>() * steps; };
      EXPECT_NEAR(plan.at("preprocessing_rounds").get<double>(), of_run("preprocessing_rounds_per_step"), 1e-6);
      EXPECT_EQ(plan.at("rounds_per_step"), run.at("rounds_per_step"));
      EXPECT_EQ(plan.at("dealt_bytes_per_step"), 0.0);
      EXPECT_GT(plan.at("preprocessing_bytes"), 0.0);
    }
  }
}

TEST_F(WithoutADealer, ThePlanComparesAllModesOfSoManyParties) {
  const auto planned = [&](const std::string& more) {
    return succeed(folder, words_of("plan --columns 2,2,2 --steps 20 --arms 3 --compare-preprocessing " + more));
  };
  const json plan = json::parse(planned("--json"));
  ASSERT_EQ(plan.at("modes").size(), 4u);
  for (const json& row : plan.at("modes")) {
    const bool fits = row.at("preprocessing") != "ot" && row.at("preprocessing") != "helper";
    for (const char* figure :
         {"rounds", "bytes", "preprocessing_rounds", "preprocessing_bytes", "preprocessing_seconds"}) {
      EXPECT_EQ(row.at(figure).is_null(), !fits) << figure;
    }
    EXPECT_EQ(row.at("refused").is_null(), fits);
  }
  const json replicated = json::parse(planned("--json --preprocessing replicated"));
  EXPECT_EQ(replicated.at("modes"), plan.at("modes"));
  const json& row = replicated.at("modes").at(1);
  EXPECT_EQ(row.at("preprocessing"), "replicated");
  for (const char* figure : {"preprocessing_rounds", "preprocessing_bytes", "preprocessing_seconds"}) {
    EXPECT_EQ(row.at(figure), replicated.at(figure)) << figure;
  }
  EXPECT_THAT(planned(""), HasSubstr("Ways to make the randomness"));
  EXPECT_THAT(planned("--preprocessing replicated"), HasSubstr("what is made ahead takes some"));
  EXPECT_THAT(planned(""), HasSubstr("a dealer takes some"));
}

TEST_F(WithoutADealer, GoesOnFromACheckpoint) {
  for (const RandomnessBy mode : modes) {
    const std::string out = (folder.path() / name_of(mode)).string();
    const std::string begin = "--steps 400 --checkpoint-every 50 --compare-plaintext --reveal-model --out " + out;
    {
      SottoProcess process(folder, of_mode(mode, begin));
      const fs::path begun = fs::path(out) / "state" / "party_0" / "begun";
      std::uint64_t steps = 0;
      while (steps < 120) {
        process.look_again();
        const std::string bytes = fs::exists(begun) ? contents(begun) : "";
        if (bytes.size() >= sizeof steps) std::memcpy(&steps, bytes.data(), sizeof steps);
      }
      ::kill(process.child("party_1.toml"), SIGKILL);
      EXPECT_NE(process.wait(), 0);
    }
    EXPECT_THAT(succeed(folder, {"bandit", "--resume", out}), HasSubstr("resumed"));
    const json result = json::parse(contents(fs::path(out) / "run.json"));
    EXPECT_EQ(result.at("status"), "complete");
    EXPECT_EQ(result.at("state").at("epochs"), 2);
    EXPECT_GE(result.at("state").at("from_step"), 50);
    EXPECT_EQ(result.at("compare_plaintext").at("steps"), 400);
    EXPECT_LT(result.at("compare_plaintext").at("largest_weight_difference"), 5e-3);
  }
}

TEST_F(WithoutADealer, RefusesWhatItCannotMake) {
  expect_refused(folder, small_run({"--preprocessing", "replicated"}), "needs three compute parties");
  expect_refused(folder, joined(of_mode(RandomnessBy::replicated), {"--party", "c.csv"}),
                 "needs three compute parties");
  expect_refused(folder, joined(of_mode(RandomnessBy::ot), {"--party", "c.csv"}), "needs two compute parties");
  expect_refused(folder, joined(of_mode(RandomnessBy::helper), {"--party", "c.csv"}),
                 "two compute parties and a helper");
  expect_refused(folder, joined(of_mode(RandomnessBy::helper), {"--owner", "c.csv"}), "has no owners");
  for (const RandomnessBy mode : modes) {
    expect_refused(folder, of_mode(mode, "--arms 65"), "at most 64 arms");
    expect_refused(folder, of_mode(mode, "--deal-ahead"), "no dealer");
  }
  expect_refused(folder, small_run({"--preprocessing", "nobody"}), "--preprocessing");
  expect_refused(folder, words_of("init --parties 2 --steps 9 --arms 3 --preprocessing replicated --out configs"),
                 "needs three compute parties");
  expect_refused(folder, words_of("plan --columns 2,2,2 --steps 9 --arms 3 --preprocessing ot"),
                 "needs two compute parties");
}

TEST_F(WithoutADealer, InitWritesNoDealer) {
  succeed(folder, words_of("init --parties 3 --steps 10 --arms 3 --preprocessing replicated --out configs"));
  EXPECT_TRUE(fs::exists(folder.path() / "configs" / "party_2" / "config.toml"));
  EXPECT_FALSE(fs::exists(folder.path() / "configs" / "dealer"));
  EXPECT_THAT(contents(folder.path() / "configs" / "actor" / "config.toml"),
              HasSubstr("preprocessing = \"replicated\""));
}

TEST_F(WithoutADealer, InitWritesAHelperInTheDealersPlace) {
  const auto listening = [&](const std::string& mode, const std::string& set) {
    succeed(folder, words_of("init --parties 2 --steps 10 --arms 3 --preprocessing " + mode + " --out " + set));
    const std::string config = contents(folder.path() / set / "party_1" / "config.toml");
    return config.substr(config.find("[peers]"));
  };
  std::string dealt = listening("dealer", "dealt");
  const std::string helped = listening("helper", "helped");
  EXPECT_TRUE(fs::exists(folder.path() / "helped" / "helper" / "config.toml"));
  EXPECT_FALSE(fs::exists(folder.path() / "helped" / "dealer"));
  EXPECT_THAT(contents(folder.path() / "helped" / "helper" / "README.txt"), HasSubstr("sotto helper --config"));
  std::size_t named = 0;
  for (std::size_t at = 0; (at = dealt.find("dealer", at)) != std::string::npos; ++named)
    dealt.replace(at, 6, "helper");
  EXPECT_GE(named, 2u);
  EXPECT_EQ(dealt, helped);
}

class RolesWithoutADealer : public InFolder {
 protected:
  [[nodiscard]] RunPlan plans_of(RandomnessBy mode) const {
    return plan_run(folder, {.parties = parties_of(mode), .preprocessing = mode});
  }
};

TEST_F(RolesWithoutADealer, RunFromTheirConfigsAndSendWhatWasPlanned) {
  for (const RandomnessBy mode : modes) {
    const RunPlan plans = plans_of(mode);
    ASSERT_FALSE(plans.contains("dealer"));
    expect_ends(run(folder, plans), 0);
    const std::string columns = parties_of(mode) == 2 ? "2,2" : "2,2,2";
    const json plan =
        json::parse(succeed(folder, {"plan", "--config", "party_0.toml", "--columns", columns, "--json"}));
    std::uint64_t sent = 0;
    std::uint64_t ahead = 0;
    for (const auto& [key, role] : plans) {
      const apps::bandit::run::RoleReport report = apps::bandit::run::read_role_report(role.config.report);
      if (key.starts_with("party") || key == "helper") {
        sent = std::max(sent, report.bytes_sent);
        ahead = std::max(ahead, report.preprocessing_bytes_sent);
        EXPECT_EQ(plan.at("total").at("rounds"), report.rounds);
        EXPECT_EQ(plan.at("preprocessing_rounds"), report.preprocessing_rounds);
      }
      EXPECT_EQ(report.step_rounds, 40u * 6u + 1u);
      EXPECT_GT(report.preprocessing_rounds, 60u);
      EXPECT_EQ(report.rounds, report.step_rounds + report.preprocessing_rounds);
      EXPECT_GT(report.bytes_sent, 0u);
      EXPECT_EQ(report.bytes_sent, report.planned_bytes_sent) << key;
      EXPECT_EQ(report.dealt_bytes, 0u);
    }
    EXPECT_EQ(plan.at("total").at("bytes"), sent);
    EXPECT_EQ(plan.at("preprocessing_bytes"), ahead);
  }
}

TEST_F(RolesWithoutADealer, ARoleThatWaitsForADealerDisagrees) {
  RunPlan plans = plans_of(RandomnessBy::replicated);
  const RunPlan dealt = plan_run(folder, {.parties = 3});
  apps::bandit::run::BanditSettings& other = plans.at("party_2").config;
  other.preprocessing = RandomnessBy::dealer;
  other.peers["dealer"] = dealt.at("party_2").config.peers.at("dealer");
  other.trust["dealer"] = dealt.at("party_2").config.trust.at("dealer");
  for (auto& [key, role] : plans) {
    role.config.trust = dealt.at("party_0").config.trust;
    if (key != "party_2") role.config.trust.erase("dealer");
  }
  expect_ends(run(folder, plans), 5, "preprocessing = ");
}

TEST_F(RolesWithoutADealer, ADealerOfSuchARunIsRefused) {
  RolePlan dealer{"dealer", plans_of(RandomnessBy::replicated).at("party_0").config};
  dealer.config.set_role(apps::bandit::BanditRole::dealer);
  dealer.config.data.clear();
  expect_role_refused(folder, "dealer", dealer, "has no dealer");
  dealer.config.set_role(apps::bandit::BanditRole::helper);
  expect_role_refused(folder, "helper", dealer, "has no helper");
}

class RunOnAStock : public InFolder {
 protected:
  [[nodiscard]] RunPlan plans_of(RandomnessBy mode) const {
    const bool of_three = mode == RandomnessBy::replicated;
    const std::size_t owners = of_three ? 1 : 0;
    RunPlan plans = plan_run(
        folder, {.parties = of_three ? 3u : 2u, .preprocessing = mode, .computing_only = owners, .owners = owners});
    for (auto& [key, role] : plans) role.config.stock = folder.path() / "stocks" / key;
    return plans;
  }
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
        EXPECT_LT(report.preprocessing_rounds, 10u) << key;
        EXPECT_EQ(report.bytes_sent, report.planned_bytes_sent) << key;
      }
      expect_ends(run(folder, plans), 5, "randomness is used once");
      const fs::path used = folder.path() / "used";
      fs::rename(folder.path() / "stocks", used);
      fs::rename(kept, folder.path() / "stocks");
      expect_role_refused(folder, "party_0", plans.at("party_0"), "is a copy");
      fs::remove_all(folder.path() / "stocks");
      fs::rename(used, folder.path() / "stocks");
    }
  }
}

// After all machines are restored from images, no role remembers the run. A second run on the same randomness with
// other rows would show how the rows differ.
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
    // Waits until the role has taken its first stretch, because then its run has begun.
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
