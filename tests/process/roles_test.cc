#include "apps/bandit/run/result/role_report.h"
#include "sotto/protocol/transport/tcp/listener.h"
#include "tests/process/role_runs.h"
#include "tests/process/sotto_process.h"

namespace sotto::testing {
namespace {

class Roles : public InFolder {
 protected:
  RunPlan plans = plan_run(folder);
};

TEST_F(Roles, RunFromTheirConfigsAndSendWhatWasPlanned) {
  expect_ends(run(folder, plans), 0);
  for (const auto& [key, role] : plans) {
    const apps::bandit::run::RoleReport report = apps::bandit::run::read_role_report(role.config.report);
    EXPECT_EQ(report.role, role.config.name());
    EXPECT_EQ(report.rounds, 40u * 6u + 1u);
    EXPECT_EQ(report.step_rounds, 40u * 6u + 1u);
    if (key == "dealer") continue;
    EXPECT_GT(report.bytes_sent, 0u);
    EXPECT_EQ(report.bytes_sent, report.planned_bytes_sent) << key;
  }
}

TEST_F(Roles, EndWithAResultOfTheirOwn) {
  plans = plan_run(folder, {.parties = 2, .separate_rewarder = true});
  const auto ends = run(folder, plans);
  for (const auto& [key, role] : plans) {
    const std::string& output = ends.at(key).output;
    ASSERT_EQ(ends.at(key).code, 0) << output;
    const std::string name = role.config.name();
    EXPECT_EQ(has(output, name + ": average reward 0."), key == "rewarder") << output;
    EXPECT_EQ(has(output, name + ": arm "), key == "actor") << output;
    EXPECT_EQ(has(output, "norms at most"), key.starts_with("party")) << output;
    std::filesystem::path page = role.config.report;
    const std::string text = contents(page.replace_extension(".html"));
    EXPECT_EQ(has(text, "Average reward"), key == "rewarder") << key;
    EXPECT_EQ(has(text, "The arms"), key == "actor") << key;
    EXPECT_EQ(has(text, "Own columns"), key.starts_with("party")) << key;
  }
}

TEST_F(Roles, WriteNoPageNextToADevice) {
  const fs::path out = folder.path() / "out";
  fs::create_symlink("/dev/null", out);
  plans.at("party_1").config.report = out;
  expect_ends(run(folder, plans), 0);
  EXPECT_FALSE(fs::exists(folder.path() / "out.html"));
}

TEST_F(Roles, ShowOnATerminalWhoIsHereAndHowFarTheRunIs) {
  for (auto& [key, role] : plans) {
    role.surroundings.prefix = {"sh", "-c", R"(exec script -qec "$0 $*" /dev/null < /dev/null)"};
  }
  for (const auto& [key, end] : run(folder, plans)) {
    EXPECT_EQ(end.code, 0) << key << ": " << end.output;
    EXPECT_THAT(end.output, ::testing::AllOf(HasSubstr(" is here (3 of 3)"), HasSubstr("  1/40"))) << key;
    EXPECT_EQ(has(end.output, "  reward "), key == "actor") << key << ": " << end.output;
  }
}

TEST_F(Roles, ConfigsThatDisagreeEndAllAndNameTheLine) {
  plans.at("party_1").config.epsilon = 0.2;
  expect_ends(run(folder, plans), 5, "epsilon = ");
}

TEST_F(Roles, RunInBatches) {
  plans = plan_run(folder, {.parties = 3, .separate_rewarder = true});
  for (auto& [key, role] : plans) {
    role.config.batch = 8;
    role.config.reward_lag = 5;
  }
  expect_ends(run(folder, plans), 0);
  for (const auto& [key, role] : plans) {
    const apps::bandit::run::RoleReport report = apps::bandit::run::read_role_report(role.config.report);
    EXPECT_EQ(report.rounds, 5u * (5 + 13)) << key;
    EXPECT_EQ(report.step_rounds, report.rounds) << key;
    EXPECT_EQ(report.bytes_sent, report.planned_bytes_sent) << key;
    EXPECT_EQ(report.reward_curve.empty(), key != "rewarder") << key;
  }
}

TEST_F(Roles, BatchesAndLagsThatDisagreeAreNamed) {
  plans.at("party_1").config.batch = 8;
  expect_ends(run(folder, plans), 5, "batch = ");
  plans.at("party_1").config.batch = 1;
  plans.at("actor").config.reward_lag = 3;
  expect_ends(run(folder, plans), 5, "reward_lag = ");
}

TEST_F(Roles, LinksThatDisagreeAreNamedAsWell) {
  for (auto& [key, role] : plans) role.config.link.delay = std::chrono::milliseconds(1);
  expect_ends(run(folder, plans), 0);
  plans.at("party_1").config.link.delay = std::chrono::milliseconds(2);
  const auto ends = run(folder, plans);
  EXPECT_EQ(ends.at("party_1").code, 5) << ends.at("party_1").error;
  EXPECT_THAT(ends.at("party_1").error, HasSubstr("link_delay = "));
}

TEST_F(Roles, DataThatIsNotAlignedIsADisagreement) {
  plans.at("party_1").config.data = folder.write("short.csv", "a\n0.5\n0.5\n");
  expect_ends(run(folder, plans), 5, "party 0 has 30 rows, party 1 has 2");
}

// Three companies scale their rows to norm 1, and all use max_norm = 1: the joint rows have norm 1.73.
TEST_F(Roles, PartiesWhoseNormsAddUpToMoreThanMaxNormAreAllTold) {
  plans = plan_run(folder, {.parties = 3});
  for (const std::string key : {"party_0", "party_1", "party_2"}) {
    plans.at(key).config.data = folder.write(key + ".csv", rows_in_turn("0.6,0.8", "-0.8,0.6"));
  }
  const Ends ends = run(folder, plans);
  expect_ends(ends, 5, "1 at party 0, 1 at party 1, 1 at party 2: together up to 1.73205, above max_norm = 1");
  expect_ends(ends, 5, "max_norm / sqrt(3) = 0.57735");
}

// In these files no two parties have nonzero features in the same row. With joint_norm_holds = true, the user states
// that joint rows are therefore within max_norm.
TEST_F(Roles, AJointNormThatWasSeenToHoldIsStampedIntoTheReports) {
  plans.at("party_0").config.data = folder.write("first.csv", rows_in_turn("0.6,0.8", "0,0"));
  plans.at("party_1").config.data = folder.write("second.csv", rows_in_turn("0,0", "0.6,0.8"));
  expect_ends(run(folder, plans), 5);
  for (auto& [key, role] : plans) role.config.joint_norm_holds = true;
  for (const auto& [key, end] : run(folder, plans)) {
    EXPECT_EQ(end.code, 0) << key << ": " << end.error;
    EXPECT_TRUE(apps::bandit::run::read_role_report(plans.at(key).config.report).joint_norm_holds) << key;
  }
  for (auto& [key, role] : plans) role.config.joint_norm_holds = false;
  for (const bool all : {true, false}) {
    Processes processes;
    for (const auto& [key, role] : plans) {
      processes[key] = start(folder, key, role, all || key != "actor" ? Words{"--joint-norm-holds"} : Words{});
    }
    for (const auto& [key, end] : end_all(processes)) {
      EXPECT_EQ(end.code, all ? 0 : 5) << key << ": " << end.error;
      EXPECT_EQ(end.error.find("joint_norm_holds = ") == std::string::npos, all) << end.error;
    }
  }
}

// Rows of norm max_norm / sqrt(2), printed with eight digits, exceed max_norm / sqrt(2) because of rounding.
TEST_F(Roles, PartiesThatPreparedApartNeedSayNothing) {
  for (const std::string key : {"party_0", "party_1"}) {
    plans.at(key).config.data = folder.write(key + ".csv", rows_in_turn("0.70710679,0", "0.5,-0.50000001"));
  }
  for (const auto& [key, end] : run(folder, plans)) {
    EXPECT_EQ(end.code, 0) << key << ": " << end.error;
    EXPECT_FALSE(apps::bandit::run::read_role_report(plans.at(key).config.report).joint_norm_holds) << key;
  }
}

TEST_F(Roles, ThatCannotBeginSayWhy) {
  const net::TcpListener taken(net::Address{"127.0.0.1", 0});
  RolePlan party = plans.at("party_0");
  party.config.data = folder.write("large.csv", "a,b\n0.5,0.5\n0.9,0.9\n");
  expect_role_refused(folder, "party_0", party, "large.csv:3");
  party = plans.at("party_0");
  party.config.peers["party_0"] = taken.address().text();
  expect_role_refused(folder, "party_0", party, taken.address().text(), 6);
  RolePlan actor = plans.at("actor");
  actor.config.connect_deadline_seconds = 0.3;
  expect_role_refused(folder, "actor", actor, "party 0 cannot be reached at " + actor.config.peers.at("party_0"), 3);
  actor.config.peers["party_0"] = "no-such-host.invalid:4000";
  expect_role_refused(folder, "actor", actor,
                      "party 0 cannot be reached at no-such-host.invalid:4000, tried for 0.3 s: the name "
                      "'no-such-host.invalid' cannot be resolved",
                      3);
  actor = plans.at("actor");
  actor.command = "dealer";
  expect_role_refused(folder, "actor", actor, "config of the actor");
}

class Links : public ::testing::Test {
 protected:
  Links() { write_small_run(folder_, "0.5,0.1", "-0.2,0.4", 3); }
  static Words with(const std::string& flags) {
    return joined(small_run({"--json", "--insecure-seed", "5"}), words_of(flags));
  }
  TestFolder folder_;
};
using Delays = Links;

TEST_F(Links, DelayChangesNothingButTime) {
  const json plain = result_of(folder_, with("--reveal-model"));
  const json later = result_of(folder_, with("--reveal-model --link-delay 1ms --link-jitter 200us --link-rate 1gbit"));
  for (const char* same :
       {"rounds_per_step", "bytes_per_step", "dealt_bytes_per_step", "average_reward", "weights", "inverse_matrices"}) {
    EXPECT_EQ(plain.at(same), later.at(same)) << same;
  }
  EXPECT_FALSE(plain.contains("link"));
  // A step has six rounds, each of at least a millisecond.
  EXPECT_GE(later.at("seconds_per_step").get<double>(), 6e-3);
}

TEST_F(Links, TheModelStandsBesideTheMeasurement) {
  const json link = result_of(folder_, with("--link-delay 2ms --link-rate 100mbit")).at("link");
  EXPECT_TRUE(link.at("emulated").get<bool>());
  EXPECT_EQ(link.at("bits_per_second"), 100'000'000);
  const json& model = link.at("model");
  EXPECT_NEAR(model.at("delay_seconds_per_step").get<double>(), 12e-3, 1e-6);
  EXPECT_GE(model.at("measured_seconds_per_step").get<double>(), 12e-3);
  EXPECT_GT(model.at("seconds_per_step").get<double>(), 12e-3);
}

TEST_F(Links, ACutLinkEndsTheRunWithItsError) {
  SottoProcess process(folder_, with("--steps 200000 --link-delay 1ms --link-loss 300ms"));
  expect_end(process, 3, " was lost in round ");
  EXPECT_THAT(process.error(), HasSubstr(": the emulated link was cut"));
  EXPECT_EQ(process.json().at("status"), "failed");
  EXPECT_TRUE(folder_.nothing_left());
}

TEST_F(Delays, ChangeNothingButTheTime) {
  const json plain = result_of(folder_, with(""));
  for (const Words& delays :
       {Words{"--pull-delay", "until 2ms"},
        {"--pull-delay", "exponential 500us"},
        {"--separate-rewarder", "--pull-delay", "uniform 0ms 2ms", "--reward-delay", "until 2ms"}}) {
    const json delayed = result_of(folder_, joined(with(""), delays));
    EXPECT_EQ(delayed.at("status"), "complete");
    EXPECT_EQ(delayed.at("average_reward"), plain.at("average_reward"));
  }
}

TEST_F(Delays, ThatCannotBeAreRefusedBeforeTheRun) {
  const std::pair<Words, const char*> cases[] = {
      {{"--pull-delay", "soon"}, "--pull-delay: 'soon' is no delay of answers"},
      {{"--pull-delay", "exponential 3s"}, "is taken for lost"},
      {{"--reward-delay", "until 2ms"}, "needs --separate-rewarder"}};
  for (const auto& [flags, says] : cases) {
    expect_refused(folder_, joined(with(""), flags), says);
    EXPECT_TRUE(folder_.nothing_left());
  }
}

TEST_F(Delays, EndWhenTheRunIsInterrupted) {
  SottoProcess process(folder_, joined(with("--steps 200000"), {"--pull-delay", "until 1ms"}));
  (void)process.busy_child("actor.toml");
  expect_interrupted(process, folder_, 4, SIGINT);
}

}  // namespace
}  // namespace sotto::testing
