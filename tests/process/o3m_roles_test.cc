#include "apps/o3m/role_site.h"
#include "apps/o3m/settings.h"
#include "tests/process/role_runs.h"

namespace sotto::testing {
namespace {

using O3mRolePlan = RolePlanOf<apps::o3m::O3mSettings>;
using O3mRunPlan = std::map<std::string, O3mRolePlan>;

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

O3mRunPlan plan_o3m_run(const TestFolder& folder, O3mShape shape = {}) {
  apps::o3m::O3mSettings base;
  base.session = apps::fresh_session();
  base.participants = shape.participants;
  base.steps = shape.steps;
  base.arms = arms;
  base.mask_generator = shape.mask_generator;
  base.acknowledge_leakage = true;
  base.connect_deadline_seconds = 20;
  base.round_deadline_seconds = 20;
  const std::vector<apps::RunRole> run_roles = base.roles();
  for (const apps::RunRole& role : run_roles) {
    if (role.listens) base.peers[role.key] = Ports::take();
  }
  base.trust = apps::make_local_keys(base, folder.path());
  O3mRunPlan plans;
  for (const apps::RunRole& role : run_roles) {
    apps::o3m::O3mSettings config = base;
    config.role_word = role.word;
    config.id = role.id;
    config.key = apps::key_file(folder.path(), role.key);
    config.report = folder.path() / (role.key + ".json");
    if (config.role() != apps::o3m::O3mRole::mask_generator) {
      config.contexts = folder.write(role.key + ".csv", context_rows(role.id, shape.steps));
    }
    if (config.role() == apps::o3m::O3mRole::active)
      config.environment = folder.write("rewards.csv", reward_rows(shape.steps));
    plans.emplace(role.key, O3mRolePlan{"", config});
  }
  return plans;
}

class O3mRoles : public InFolder {
 protected:
  O3mRunPlan plans = plan_o3m_run(folder);
};

TEST_F(O3mRoles, RunFromTheirConfigsAndReportWhatEachLearns) {
  for (const std::optional<NodeId> generator : {std::optional<NodeId>{}, {NodeId{2}}}) {
    plans = plan_o3m_run(folder, {3, 30, generator});
    EXPECT_EQ(plans.size(), generator ? 3u : 4u);
    expect_ends(run(folder, plans), 0);
    for (const auto& [key, role] : plans) {
      const apps::o3m::O3mRoleReport report = apps::o3m::read_o3m_report(role.config.report);
      EXPECT_EQ(report.role, role.config.name());
      EXPECT_EQ(report.bytes_sent, report.planned_bytes_sent) << key;
      EXPECT_FALSE(report.leakage.empty());
      EXPECT_EQ(report.average_reward.has_value(), key == "active");
    }
    const auto active = apps::o3m::read_o3m_report(plans.at("active").config.report);
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

TEST_F(O3mRoles, ARoleThatDoesNotAcknowledgeTheLeakageIsRefused) {
  for (auto& [key, role] : plans) {
    role.config.acknowledge_leakage = false;
    expect_role_refused(folder, key, role, "docs/explain/o3m.md");
    expect_role_refused(folder, key, role, "--acknowledge-leakage");
  }
  expect_ends(run(folder, plans, {"--acknowledge-leakage"}), 0);
}

TEST_F(O3mRoles, AParticipantThatIsMissingIsNamed) {
  for (auto& [key, role] : plans) role.config.connect_deadline_seconds = 2;
  plans.erase("passive_1");
  expect_ends(run(folder, plans), 3, "passive participant 1");
}

TEST_F(O3mRoles, ParametersThatDisagreeAreNamed) {
  plans.at("passive_2").config.beta = 0.75;
  const auto ends = run(folder, plans);
  EXPECT_EQ(ends.at("passive_2").code, 5) << ends.at("passive_2").error;
  int named = 0;
  for (const auto& [key, end] : ends) {
    EXPECT_TRUE(end.code == 5 || end.code == 3) << key << ": " << end.error;
    named += has(end.error, "beta = ") ? 1 : 0;
  }
  EXPECT_GE(named, 2);
}

TEST_F(O3mRoles, StepsThatAreNotAlignedAreADisagreement) {
  plans.at("passive_1").config.contexts = folder.write("long.csv", context_rows(1, 31));
  expect_ends(run(folder, plans), 5, "active participant has 30 steps, passive participant 1 has 31");
}

TEST_F(O3mRoles, ThatCannotBeginSayWhy) {
  expect_role_refused(folder, "passive_1", plans.at("passive_1"), "must not make the masks", 2,
                      {"--set", "run.mask_generator=0"});
  plans.at("passive_1").config.contexts = folder.write("short.csv", context_rows(1, 29));
  expect_role_refused(folder, "passive_1", plans.at("passive_1"), "29 steps, but the run has 30");
  plans.at("passive_2").config.contexts = folder.write("nan.csv", "t,arm,f\n0,0,nan\n0,1,1\n");
  expect_role_refused(folder, "passive_2", plans.at("passive_2"), "nan.csv:2");
  plans.at("active").config.environment = folder.write("one.csv", "t,arm,reward\n0,0,1\n0,1,1\n");
  expect_role_refused(folder, "active", plans.at("active"), "one.csv: 1 step, but the run has 30");
}

TEST_F(O3mRoles, ACertificateThatNobodyTrustsEndsTheRun) {
  const std::string fingerprint = renew_key(folder, "passive_1", plans.at("passive_1").config);
  expect_ends(run(folder, plans), 7, fingerprint);
}

// The links of this run are so slow that the rounds take many seconds. Each passive participant sends 4 MB of masked
// contexts.
O3mRunPlan slow_run(const TestFolder& folder) {
  O3mRunPlan plans = plan_o3m_run(folder, {3, 40'000, std::nullopt});
  for (auto& [key, role] : plans) role.config.link.bits_per_second = 4'000'000;
  return plans;
}

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

// Waits until the rounds have begun. A role stops listening after the handshake with all other roles, and then has
// three links.
void wait_for_rounds(const Processes& processes, const O3mRunPlan& plans) {
  const std::string& address = plans.at("active").config.peers.at("active");
  const pid_t pid = processes.at("active")->pid();
  while (runs(pid) && (sockets_of(pid) < 3 || somebody_listens(address))) ::poll(nullptr, 0, 5);
}

TEST_F(O3mRoles, ARoleThatIsKilledEndsAllAndIsNamed) {
  // This test does not kill the mask generator, because the mask generator has nothing to do after the first round, and
  // no role would notice its end.
  for (const char* victim : {"passive_1", "active"}) {
    plans = slow_run(folder);
    Processes processes = start_all(folder, plans);
    wait_for_rounds(processes, plans);
    processes.at(victim)->signal(SIGKILL);
    Ends ends = end_all(processes);
    ends.erase(victim);
    expect_ends(ends, 3, plans.at(victim).config.name());
  }
}

TEST_F(O3mRoles, AnInterruptEndsAllAndLeavesNoReport) {
  plans = slow_run(folder);
  Processes processes = start_all(folder, plans);
  wait_for_rounds(processes, plans);
  processes.at("active")->signal(SIGINT);
  for (const auto& [key, end] : end_all(processes)) {
    EXPECT_EQ(end.code, key == "active" ? 130 : 3) << key << ": " << end.error;
    EXPECT_FALSE(fs::exists(plans.at(key).config.report));
  }
}

TEST_F(O3mRoles, InitKeysDoctorAndRunFollowEachOther) {
  const Words keys{"active", "passive_1", "mask_generator"};
  succeed(folder,
          words_of("init --protocol o3m --participants 2 --steps 12 --arms 2 --algorithm ts --out set --host active=" +
                   Ports::take() + " --host passive_1=" + Ports::take()));
  exchange_keys(folder, keys);
  for (const std::string& role : keys) {
    const std::string fingerprint = "sha256:" + std::string(64, 'a');
    expect_refused(folder, words_of("keys trust --config set/" + role + "/config.toml dealer " + fingerprint),
                   "dealer");
  }
  for (const char* role : {"set/active", "set/passive_1"}) {
    folder.write(std::string(role) + "/contexts.csv", context_rows(1, 12));
  }
  folder.write("set/active/environment.csv", reward_rows(12));
  for (const char* command : {"doctor", "o3m role"}) {
    Processes processes;
    for (const std::string& role : keys) {
      const std::string flags = " --acknowledge-leakage --config set/" + role + "/config.toml";
      processes[role] = std::make_unique<SottoProcess>(folder, words_of(command + flags));
    }
    expect_ends(end_all(processes), 0);
  }
  const auto active = apps::o3m::read_o3m_report(folder.path() / "set" / "active" / "report.json");
  EXPECT_EQ(active.arms.size(), 12u);
}

}  // namespace
}  // namespace sotto::testing
