// Roles that are started one by one, each from its config.
#include <gtest/gtest.h>

#include "apps/roles/role_report.h"
#include "net/tcp/listener.h"
#include "tests/process/role_runs.h"

namespace sotto::testing {
namespace {

TEST(Roles, RunFromTheirConfigsAndSendWhatWasPlanned) {
  const TestFolder folder;
  const auto plans = plan_run(folder);
  for (const auto& [key, end] : run(folder, plans)) EXPECT_EQ(end.code, 0) << key << end.error;
  for (const auto& [key, role] : plans) {
    const apps::RoleReport report = apps::read_role_report(role.config.report);
    EXPECT_EQ(report.role, role.config.name());
    EXPECT_EQ(report.rounds, 40u * 7u);
    EXPECT_EQ(report.step_rounds, 40u * 7u);
    if (key == "dealer") continue;
    EXPECT_GT(report.bytes_sent, 0u);
    EXPECT_EQ(report.bytes_sent, report.planned_bytes_sent) << key;
  }
}

TEST(Roles, ConfigsThatDisagreeEndAllAndNameTheLine) {
  const TestFolder folder;
  auto plans = plan_run(folder);
  plans.at("party_1").config.run.epsilon = 0.2;
  const auto ends = run(folder, plans);
  int named = 0;
  for (const auto& [key, end] : ends) {
    EXPECT_TRUE(end.code == 5 || end.code == 3) << key << ": " << end.error;
    named += end.error.find("epsilon = ") != std::string::npos;
  }
  EXPECT_EQ(ends.at("party_1").code, 5) << ends.at("party_1").error;
  EXPECT_GE(named, 2);
}

TEST(Roles, LinksThatDisagreeAreNamedAsWell) {
  const TestFolder folder;
  auto plans = plan_run(folder);
  for (auto& [key, role] : plans) role.config.run.link.delay = std::chrono::milliseconds(1);
  for (const auto& [key, end] : run(folder, plans)) EXPECT_EQ(end.code, 0) << key << end.error;
  plans = plan_run(folder);
  for (auto& [key, role] : plans) role.config.run.link.delay = std::chrono::milliseconds(1);
  plans.at("party_1").config.run.link.delay = std::chrono::milliseconds(2);
  const auto ends = run(folder, plans);
  EXPECT_EQ(ends.at("party_1").code, 5) << ends.at("party_1").error;
  EXPECT_NE(ends.at("party_1").error.find("link_delay = "), std::string::npos)
      << ends.at("party_1").error;
}

TEST(Roles, DataThatIsNotAlignedIsADisagreement) {
  const TestFolder folder;
  auto plans = plan_run(folder);
  plans.at("party_1").config.data = folder.write("short.csv", "a\n0.5\n0.5\n");
  for (const auto& [key, end] : run(folder, plans)) {
    EXPECT_EQ(end.code, 5) << key << ": " << end.error;
    EXPECT_NE(end.error.find("party 0 has 30 rows, party 1 has 2"), std::string::npos) << end.error;
  }
}

TEST(Roles, ARowAboveItsBoundIsRefusedBeforeAnythingIsConnected) {
  const TestFolder folder;
  const auto plans = plan_run(folder);
  RolePlan party = plans.at("party_0");
  party.config.data = folder.write("large.csv", "a,b\n0.5,0.5\n0.9,0.9\n");
  const auto process = start(folder, "party_0", party);
  EXPECT_EQ(process->wait(), 2);
  EXPECT_NE(process->error().find("large.csv:3"), std::string::npos) << process->error();
}

TEST(Roles, APortInUseIsNamed) {
  const TestFolder folder;
  auto plans = plan_run(folder);
  const net::TcpListener taken(net::Address{"127.0.0.1", 0});
  RolePlan party = plans.at("party_0");
  party.config.peers["party_0"] = taken.address().text();
  const auto process = start(folder, "party_0", party);
  EXPECT_EQ(process->wait(), 6);
  EXPECT_NE(process->error().find(taken.address().text()), std::string::npos) << process->error();
}

TEST(Roles, APeerThatIsNotThereIsNamed) {
  const TestFolder folder;
  auto plans = plan_run(folder);
  RolePlan actor = plans.at("actor");
  actor.config.connect_deadline_seconds = 0.3;
  const auto process = start(folder, "actor", actor);
  EXPECT_EQ(process->wait(), 3);
  EXPECT_NE(
      process->error().find("party 0 cannot be reached at " + actor.config.peers.at("party_0")),
      std::string::npos)
      << process->error();
}

TEST(Roles, ANameThatIsUnknownIsNamed) {
  const TestFolder folder;
  auto plans = plan_run(folder);
  RolePlan actor = plans.at("actor");
  actor.config.peers["party_0"] = "no-such-host.invalid:4000";
  actor.config.connect_deadline_seconds = 0.3;
  const auto process = start(folder, "actor", actor);
  EXPECT_EQ(process->wait(), 3);
  EXPECT_NE(process->error().find("party 0 cannot be reached at no-such-host.invalid:4000, tried "
                                  "for 0.3 s: the name 'no-such-host.invalid' cannot be resolved"),
            std::string::npos)
      << process->error();
}

TEST(Roles, AConfigOfAnotherRoleIsRefused) {
  const TestFolder folder;
  auto plans = plan_run(folder);
  RolePlan actor = plans.at("actor");
  actor.command = "dealer";
  const auto process = start(folder, "actor", actor);
  EXPECT_EQ(process->wait(), 2);
  EXPECT_NE(process->error().find("config of the actor"), std::string::npos) << process->error();
}

}  // namespace
}  // namespace sotto::testing
