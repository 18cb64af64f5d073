// Roles of O3M that are started one by one, each from its config, as several companies do.
#include <gtest/gtest.h>

#include "sotto/apps/o3m/role_report.h"
#include "sotto/apps/o3m/settings.h"
#include "tests/process/role_runs.h"

namespace sotto::testing {
namespace {

using RolePlan = RolePlanOf<apps::O3mSettings>;
using RunPlan = std::map<std::string, RolePlan>;

constexpr std::size_t arms = 2;

struct O3mShape {
  std::size_t participants = 3;
  std::uint64_t steps = 30;
  std::optional<NodeId> mask_generator{};
};

std::string context_rows(std::size_t participant, std::uint64_t steps) {
  std::string text = "t,arm,f,g\n";
  for (std::uint64_t t = 0; t < steps; ++t) {
    for (std::size_t arm = 0; arm < arms; ++arm) {
      const double value = static_cast<double>((t + 3 * arm + participant) % 7) / 16;
      text += std::to_string(t) + "," + std::to_string(arm) + "," + std::to_string(value) + ",0.25\n";
    }
  }
  return text;
}

std::string reward_rows(std::uint64_t steps) {
  std::string text = "t,arm,reward,mean\n";
  for (std::uint64_t t = 0; t < steps; ++t) {
    const std::string step = std::to_string(t);
    text += step + ",0,0.25,0.25\n" + step + ",1,0.75,0.75\n";
  }
  return text;
}

// Two features a participant; ports and keys of this test's own.
RunPlan plan_o3m_run(const TestFolder& folder, O3mShape shape = {}) {
  apps::O3mSettings base;
  base.session = apps::fresh_session();
  base.participants = shape.participants;
  base.steps = shape.steps;
  base.arms = arms;
  base.mask_generator = shape.mask_generator;
  base.acknowledge_leakage = true;
  base.connect_deadline_seconds = 20;
  base.round_deadline_seconds = 20;
  const std::vector<apps::RunRole> roles = base.roles();
  for (const apps::RunRole& role : roles) {
    if (role.listens) base.peers[role.key] = Ports::take();
  }
  base.trust = apps::make_local_keys(base, folder.path());
  RunPlan plans;
  for (const apps::RunRole& role : roles) {
    apps::O3mSettings config = base;
    config.role_word = role.word;
    config.id = role.id;
    config.key = apps::key_file(folder.path(), role.key);
    config.report = folder.path() / (role.key + ".json");
    if (config.role() != apps::O3mRole::mask_generator) {
      config.contexts = folder.write(role.key + ".csv", context_rows(role.id, shape.steps));
    }
    if (config.role() == apps::O3mRole::active) {
      config.environment = folder.write("rewards.csv", reward_rows(shape.steps));
    }
    plans.emplace(role.key, RolePlan{"", config});
  }
  return plans;
}

bool contains(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

TEST(O3mRoles, RunFromTheirConfigsAndReportWhatEachLearns) {
  const TestFolder folder;
  for (const std::optional<NodeId> generator : {std::optional<NodeId>{}, {NodeId{2}}}) {
    const RunPlan plans = plan_o3m_run(folder, {3, 30, generator});
    EXPECT_EQ(plans.size(), generator ? 3u : 4u);
    for (const auto& [key, end] : run(folder, plans)) EXPECT_EQ(end.code, 0) << key << end.error;
    for (const auto& [key, role] : plans) {
      const apps::O3mRoleReport report = apps::read_o3m_report(role.config.report);
      EXPECT_EQ(report.role, role.config.name());
      EXPECT_EQ(report.bytes_sent, report.planned_bytes_sent) << key;
      EXPECT_FALSE(report.leakage.empty());
      EXPECT_EQ(report.average_reward.has_value(), key == "active");
    }
    const auto active = apps::read_o3m_report(plans.at("active").config.report);
    ASSERT_EQ(active.arms.size(), 30u);
    ASSERT_EQ(active.rewards.size(), 30u);
    double regret = 0;
    for (std::size_t t = 0; t < 30; ++t) {
      EXPECT_EQ(active.rewards[t], active.arms[t] == 1 ? 0.75 : 0.25);
      regret += active.arms[t] == 1 ? 0 : 0.5;
    }
    EXPECT_DOUBLE_EQ(*active.cumulative_regret, regret);
    EXPECT_TRUE(active.prefetched);
    EXPECT_TRUE(active.scores.empty());
  }
}

TEST(O3mRoles, ARoleThatDoesNotAcknowledgeTheLeakageIsRefused) {
  const TestFolder folder;
  RunPlan plans = plan_o3m_run(folder);
  for (auto& [key, role] : plans) {
    role.config.acknowledge_leakage = false;
    const auto process = start(folder, key, role);
    EXPECT_EQ(process->wait(), 2);
    EXPECT_TRUE(contains(process->error(), "docs/o3m.md")) << process->error();
    EXPECT_TRUE(contains(process->error(), "--acknowledge-leakage")) << process->error();
  }
  Processes processes;
  for (const auto& [key, role] : plans) {
    processes[key] = start(folder, key, role, {"--acknowledge-leakage"});
  }
  for (const auto& [key, end] : end_all(processes)) EXPECT_EQ(end.code, 0) << key << end.error;
}

TEST(O3mRoles, TheActiveParticipantDoesNotMakeTheMasks) {
  const TestFolder folder;
  const RunPlan plans = plan_o3m_run(folder);
  const auto process = start(folder, "passive_1", plans.at("passive_1"), {"--set", "run.mask_generator=0"});
  EXPECT_EQ(process->wait(), 2);
  EXPECT_TRUE(contains(process->error(), "must not make the masks")) << process->error();
}

TEST(O3mRoles, AParticipantThatIsMissingIsNamed) {
  const TestFolder folder;
  RunPlan plans = plan_o3m_run(folder);
  for (auto& [key, role] : plans) role.config.connect_deadline_seconds = 2;
  plans.erase("passive_1");
  for (const auto& [key, end] : run(folder, plans)) {
    EXPECT_EQ(end.code, 3) << key << ": " << end.error;
    EXPECT_TRUE(contains(end.error, "passive participant 1")) << key << ": " << end.error;
  }
}

TEST(O3mRoles, ParametersThatDisagreeAreNamed) {
  const TestFolder folder;
  RunPlan plans = plan_o3m_run(folder);
  plans.at("passive_2").config.beta = 0.75;
  const auto ends = run(folder, plans);
  EXPECT_EQ(ends.at("passive_2").code, 5) << ends.at("passive_2").error;
  int named = 0;
  for (const auto& [key, end] : ends) {
    EXPECT_TRUE(end.code == 5 || end.code == 3) << key << ": " << end.error;
    named += contains(end.error, "beta = ") ? 1 : 0;
  }
  EXPECT_GE(named, 2);
}

TEST(O3mRoles, StepsThatAreNotAlignedAreADisagreement) {
  const TestFolder folder;
  RunPlan plans = plan_o3m_run(folder);
  plans.at("passive_1").config.contexts = folder.write("long.csv", context_rows(1, 31));
  for (const auto& [key, end] : run(folder, plans)) {
    EXPECT_EQ(end.code, 5) << key << ": " << end.error;
    EXPECT_TRUE(contains(end.error, "active participant has 30 steps, passive participant 1 has 31")) << end.error;
  }
}

TEST(O3mRoles, AFileThatDoesNotFitIsRefusedBeforeAnythingIsConnected) {
  const TestFolder folder;
  RunPlan plans = plan_o3m_run(folder);
  const auto refusal = [&](const std::string& key) {
    const auto process = start(folder, key, plans.at(key));
    EXPECT_EQ(process->wait(), 2);
    return process->error();
  };
  plans.at("passive_1").config.contexts = folder.write("short.csv", context_rows(1, 29));
  EXPECT_TRUE(contains(refusal("passive_1"), "29 steps, but the run has 30"));
  plans.at("passive_2").config.contexts = folder.write("nan.csv", "t,arm,f\n0,0,nan\n0,1,1\n");
  EXPECT_TRUE(contains(refusal("passive_2"), "nan.csv:2"));
  plans.at("active").config.environment = folder.write("one.csv", "t,arm,reward\n0,0,1\n0,1,1\n");
  EXPECT_TRUE(contains(refusal("active"), "one.csv: 1 step, but the run has 30"));
}

// Passive participant 1 has made a new key, and the others still trust the one before.
TEST(O3mRoles, ACertificateThatNobodyTrustsEndsTheRun) {
  const TestFolder folder;
  RunPlan plans = plan_o3m_run(folder);
  const net::Identity renewed = net::Identity::create("passive_1");
  const fs::path file = folder.path() / "renewed.pem";
  renewed.write(file);
  plans.at("passive_1").config.key = file;
  plans.at("passive_1").config.trust.at("passive_1") = renewed.fingerprint();
  for (const auto& [key, end] : run(folder, plans)) {
    EXPECT_EQ(end.code, 7) << key << ": " << end.error;
    EXPECT_TRUE(contains(end.error, renewed.fingerprint())) << key << ": " << end.error;
  }
}

// Links so slow that the rounds take many seconds: 4 MB of masked contexts a passive participant.
RunPlan slow_run(const TestFolder& folder) {
  RunPlan plans = plan_o3m_run(folder, {3, 40'000, std::nullopt});
  for (auto& [key, role] : plans) role.config.link.bits_per_second = 4'000'000;
  return plans;
}

// Whether anybody listens at an address of this machine, "127.0.0.1:12345".
bool somebody_listens(const std::string& address) {
  const int port = std::stoi(address.substr(address.find(':') + 1));
  std::istringstream lines(contents("/proc/net/tcp"));
  std::string line;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string number, local, remote, state;
    words >> number >> local >> remote >> state;
    const std::size_t colon = local.find(':');
    if (colon == std::string::npos || state != "0A") continue;
    if (std::stoi(local.substr(colon + 1), nullptr, 16) == port) return true;
  }
  return false;
}

// Open sockets of a process.
std::size_t sockets_of(pid_t pid) {
  std::size_t count = 0;
  std::error_code error;
  for (fs::directory_iterator at("/proc/" + std::to_string(pid) + "/fd", error), end; !error && at != end;
       at.increment(error)) {
    std::error_code gone;
    count += fs::read_symlink(at->path(), gone).string().starts_with("socket:") ? 1 : 0;
  }
  return count;
}

// A role listens until it has shaken hands with all others; then it has its three links, and come the rounds.
void wait_for_rounds(const Processes& processes, const RunPlan& plans) {
  const std::string& address = plans.at("active").config.peers.at("active");
  const pid_t pid = processes.at("active")->pid();
  while (runs(pid) && (sockets_of(pid) < 3 || somebody_listens(address))) ::poll(nullptr, 0, 5);
}

TEST(O3mRoles, ARoleThatIsKilledEndsAllAndIsNamed) {
  // A mask generator has done its part after the first round, so that nobody would miss it.
  for (const char* victim : {"passive_1", "active"}) {
    const TestFolder folder;
    const RunPlan plans = slow_run(folder);
    Processes processes = start_all(folder, plans);
    wait_for_rounds(processes, plans);
    processes.at(victim)->signal(SIGKILL);
    for (const auto& [key, end] : end_all(processes)) {
      if (key == victim) continue;
      EXPECT_EQ(end.code, 3) << key << ": " << end.error;
      EXPECT_TRUE(contains(end.error, plans.at(victim).config.name())) << key << ": " << end.error;
    }
  }
}

TEST(O3mRoles, AnInterruptEndsAllAndLeavesNoReport) {
  const TestFolder folder;
  const RunPlan plans = slow_run(folder);
  Processes processes = start_all(folder, plans);
  wait_for_rounds(processes, plans);
  processes.at("active")->signal(SIGINT);
  for (const auto& [key, end] : end_all(processes)) {
    EXPECT_EQ(end.code, key == "active" ? 130 : 3) << key << ": " << end.error;
    EXPECT_FALSE(fs::exists(plans.at(key).config.report));
  }
}

TEST(O3mRoles, InitKeysDoctorAndRunFollowEachOther) {
  const TestFolder folder;
  const auto sotto = [&](std::vector<std::string> words) {
    SottoProcess process(folder, words);
    EXPECT_EQ(process.wait(), 0) << process.err() << process.out();
    return process.out();
  };
  std::vector<std::string> words{"init",
                                 "--protocol",
                                 "o3m",
                                 "--participants",
                                 "2",
                                 "--steps",
                                 "12",
                                 "--arms",
                                 "2",
                                 "--algorithm",
                                 "ts",
                                 "--out",
                                 "set",
                                 "--host",
                                 "active=" + Ports::take(),
                                 "--host",
                                 "passive_1=" + Ports::take()};
  sotto(words);
  const std::vector<std::string> roles{"active", "passive_1", "mask_generator"};
  std::map<std::string, std::string> fingerprints;
  for (const std::string& role : roles) {
    const fs::path key = folder.path() / "set" / role / "key.pem";
    sotto({"keys", "new", "--out", key.string(), "--name", role});
    fingerprints[role] = net::Identity::read(key).fingerprint();
  }
  for (const std::string& role : roles) {
    const fs::path config = folder.path() / "set" / role / "config.toml";
    for (const auto& [other, fingerprint] : fingerprints) {
      sotto({"keys", "trust", "--config", config.string(), other, fingerprint});
    }
    SottoProcess wrong(folder, {"keys", "trust", "--config", config.string(), "dealer", fingerprints.at("active")});
    EXPECT_EQ(wrong.wait(), 2);
  }
  for (const char* role : {"set/active", "set/passive_1"}) {
    (void)folder.write(std::string(role) + "/contexts.csv", context_rows(1, 12));
  }
  (void)folder.write("set/active/environment.csv", reward_rows(12));
  const auto start_each = [&](const std::vector<std::string>& command) {
    Processes processes;
    for (const std::string& role : roles) {
      std::vector<std::string> all = command;
      const fs::path config = folder.path() / "set" / role / "config.toml";
      all.insert(all.end(), {"--config", config.string(), "--acknowledge-leakage"});
      processes[role] = std::make_unique<SottoProcess>(folder, all);
    }
    return processes;
  };
  Processes doctors = start_each({"doctor"});
  for (const auto& [key, end] : end_all(doctors)) EXPECT_EQ(end.code, 0) << key << end.output;
  Processes running = start_each({"o3m", "role"});
  for (const auto& [key, end] : end_all(running)) EXPECT_EQ(end.code, 0) << key << end.output;
  const auto active = apps::read_o3m_report(folder.path() / "set" / "active" / "report.json");
  EXPECT_EQ(active.arms.size(), 12u);
}

}  // namespace
}  // namespace sotto::testing
