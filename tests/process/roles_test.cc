// Roles that are started one by one, each from its config.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>

#include "apps/roles/config.h"
#include "apps/roles/role_keys.h"
#include "apps/roles/role_report.h"
#include "net/tcp/listener.h"
#include "tests/process/sotto_process.h"

namespace sotto::testing {
namespace {

using apps::RoleConfig;

struct RolePlan {
  std::string command;
  RoleConfig config;
};

// Dealer, two parties and the actor, with ports that were free a moment ago.
std::map<std::string, RolePlan> plan(const TestFolder& folder) {
  std::string rows = "a,b\n";
  std::string labels = "label\n";
  for (int row = 0; row < 30; ++row) {
    rows += row % 2 == 0 ? "0.5,0.1\n" : "-0.2,0.4\n";
    labels += std::to_string(row % 2) + "\n";
  }
  RoleConfig base;
  base.run.session = apps::fresh_session();
  base.run.parties = 2;
  base.run.steps = 40;
  base.run.arms = 2;
  base.run.max_norm = 1;
  base.connect_deadline_seconds = 20;
  base.round_deadline_seconds = 20;
  {
    std::vector<net::TcpListener> taken;
    for (const char* key : {"dealer", "party_0", "party_1"}) {
      taken.emplace_back(net::Address{"127.0.0.1", 0});
      base.peers[key] = taken.back().address().text();
    }
  }
  base.run.trust = apps::make_local_keys(base.run, folder.path());
  std::map<std::string, RolePlan> plans;
  const auto add = [&](const std::string& key, const std::string& command, Role role,
                       std::size_t id) {
    RoleConfig config = base;
    config.role = role;
    config.id = id;
    config.key = apps::key_file(folder.path(), key);
    config.report = folder.path() / (key + ".json");
    if (role == Role::party) config.data = folder.write(key + ".csv", rows);
    if (role == Role::actor) config.environment = folder.write("labels.csv", labels);
    plans.emplace(key, RolePlan{command, config});
  };
  add("dealer", "dealer", Role::dealer, 0);
  add("party_0", "party", Role::party, 0);
  add("party_1", "party", Role::party, 1);
  add("actor", "actor", Role::actor, 0);
  return plans;
}

std::unique_ptr<SottoProcess> start(const TestFolder& folder, const std::string& key,
                                    const RolePlan& role) {
  const fs::path file = folder.write(key + ".toml", apps::to_toml(role.config));
  return std::make_unique<SottoProcess>(
      folder, std::vector<std::string>{role.command, "--config", file.string()});
}

struct Ended {
  int code = 0;
  std::string error;
};

std::map<std::string, Ended> run(const TestFolder& folder,
                                 const std::map<std::string, RolePlan>& plans) {
  std::map<std::string, std::unique_ptr<SottoProcess>> processes;
  for (const auto& [key, role] : plans) processes[key] = start(folder, key, role);
  std::map<std::string, Ended> ends;
  for (auto& [key, process] : processes) {
    ends[key].code = process->wait();
    ends[key].error = process->error();
  }
  return ends;
}

TEST(Roles, RunFromTheirConfigsAndSendWhatWasPlanned) {
  const TestFolder folder;
  const auto plans = plan(folder);
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
  auto plans = plan(folder);
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
  auto plans = plan(folder);
  for (auto& [key, role] : plans) role.config.run.link.delay = std::chrono::milliseconds(1);
  for (const auto& [key, end] : run(folder, plans)) EXPECT_EQ(end.code, 0) << key << end.error;
  plans = plan(folder);
  for (auto& [key, role] : plans) role.config.run.link.delay = std::chrono::milliseconds(1);
  plans.at("party_1").config.run.link.delay = std::chrono::milliseconds(2);
  const auto ends = run(folder, plans);
  EXPECT_EQ(ends.at("party_1").code, 5) << ends.at("party_1").error;
  EXPECT_NE(ends.at("party_1").error.find("link_delay = "), std::string::npos)
      << ends.at("party_1").error;
}

// A process that is stopped keeps its links open and says nothing: all blame it, and only it.
TEST(Roles, AStalledRoleIsBlamedByAllOthers) {
  const TestFolder folder;
  auto plans = plan(folder);
  std::map<std::string, std::unique_ptr<SottoProcess>> processes;
  for (auto& [key, role] : plans) {
    role.config.run.steps = 1'000'000;
    role.config.round_deadline_seconds = 2;
    processes[key] = start(folder, key, role);
  }
  processes.at("party_0")->until_busy();
  processes.at("party_0")->signal(SIGSTOP);
  for (const char* key : {"dealer", "party_1", "actor"}) {
    EXPECT_EQ(processes.at(key)->wait(), 3) << key;
    EXPECT_NE(processes.at(key)->error().find("party 0 has sent nothing for 2 s"),
              std::string::npos)
        << key << ": " << processes.at(key)->error();
  }
}

TEST(Roles, DataThatIsNotAlignedIsADisagreement) {
  const TestFolder folder;
  auto plans = plan(folder);
  plans.at("party_1").config.data = folder.write("short.csv", "a\n0.5\n0.5\n");
  for (const auto& [key, end] : run(folder, plans)) {
    EXPECT_EQ(end.code, 5) << key << ": " << end.error;
    EXPECT_NE(end.error.find("party 0 has 30 rows, party 1 has 2"), std::string::npos) << end.error;
  }
}

TEST(Roles, ARowAboveItsBoundIsRefusedBeforeAnythingIsConnected) {
  const TestFolder folder;
  const auto plans = plan(folder);
  RolePlan party = plans.at("party_0");
  party.config.data = folder.write("large.csv", "a,b\n0.5,0.5\n0.9,0.9\n");
  const auto process = start(folder, "party_0", party);
  EXPECT_EQ(process->wait(), 2);
  EXPECT_NE(process->error().find("large.csv:3"), std::string::npos) << process->error();
}

TEST(Roles, APortInUseIsNamed) {
  const TestFolder folder;
  auto plans = plan(folder);
  const net::TcpListener taken(net::Address{"127.0.0.1", 0});
  RolePlan party = plans.at("party_0");
  party.config.peers["party_0"] = taken.address().text();
  const auto process = start(folder, "party_0", party);
  EXPECT_EQ(process->wait(), 6);
  EXPECT_NE(process->error().find(taken.address().text()), std::string::npos) << process->error();
}

TEST(Roles, APeerThatIsNotThereIsNamed) {
  const TestFolder folder;
  auto plans = plan(folder);
  RolePlan actor = plans.at("actor");
  actor.config.connect_deadline_seconds = 0.3;
  const auto process = start(folder, "actor", actor);
  EXPECT_EQ(process->wait(), 3);
  EXPECT_NE(
      process->error().find("party 0 cannot be reached at " + actor.config.peers.at("party_0")),
      std::string::npos)
      << process->error();
}

TEST(Roles, AnAddressThatIsNotOnThisMachineIsRefused) {
  const TestFolder folder;
  auto plans = plan(folder);
  RolePlan actor = plans.at("actor");
  actor.config.peers["party_1"] = "192.0.2.7:4000";
  const auto process = start(folder, "actor", actor);
  EXPECT_EQ(process->wait(), 2);
  EXPECT_NE(process->error().find("not encrypted"), std::string::npos) << process->error();
}

TEST(Roles, AConfigOfAnotherRoleIsRefused) {
  const TestFolder folder;
  auto plans = plan(folder);
  RolePlan actor = plans.at("actor");
  actor.command = "dealer";
  const auto process = start(folder, "actor", actor);
  EXPECT_EQ(process->wait(), 2);
  EXPECT_NE(process->error().find("config of the actor"), std::string::npos) << process->error();
}

}  // namespace
}  // namespace sotto::testing
