// Two parties that the network sees as two machines: each party is in a network namespace of its own. The relay of the
// tests joins the two parties in a third namespace, where the dealer and the actor run.
#include <cstdio>
#include <cstdlib>

#include "apps/bandit/run/result/role_report.h"
#include "tests/faults/checks.h"

namespace sotto::testing {
namespace {

bool shell(const std::string& command) { return std::system((command + " >/dev/null 2>&1").c_str()) == 0; }

// The namespace "left" has party 0, "right" has party 1, and "middle" has everything else. A cable joins the middle to
// each side.
class Machines {
 public:
  Machines() : mark_("sotto" + std::to_string(::getpid())) {
    usable_ = ::geteuid() == 0;
    for (const std::string name : {"left", "right", "middle"}) {
      usable_ = usable_ && shell("ip netns add " + space(name));
    }
    usable_ = usable_ && shell("ip -n " + space("middle") + " link set lo up") && lay_cable("left", "1") &&
              lay_cable("right", "2");
  }
  ~Machines() {
    for (const std::string name : {"left", "right", "middle"}) (void)shell("ip netns del " + space(name));
  }
  Machines(const Machines&) = delete;
  Machines& operator=(const Machines&) = delete;

  [[nodiscard]] bool usable() const { return usable_; }
  [[nodiscard]] std::string space(const std::string& name) const { return mark_ + name; }
  [[nodiscard]] std::vector<std::string> inside(const std::string& name) const {
    return {"ip", "netns", "exec", space(name)};
  }
  void pull(const std::string& side) const { set(side, "down"); }
  void plug_in(const std::string& side) const { set(side, "up"); }

 private:
  // The side has the addresses 10.77.NET.1 and fd77:NET::1, and the middle has the addresses 10.77.NET.2 and
  // fd77:NET::2.
  [[nodiscard]] bool lay_cable(const std::string& side, const std::string& net) const {
    const std::string here = "ip -n " + space(side);
    const std::string there = "ip -n " + space("middle");
    return shell("ip link add up0 netns " + space(side) + " type veth peer name to" + side + " netns " +
                 space("middle")) &&
           shell(here + " addr add 10.77." + net + ".1/24 dev up0") &&
           shell(here + " addr add fd77:" + net + "::1/64 dev up0 nodad") &&
           shell(there + " addr add 10.77." + net + ".2/24 dev to" + side) &&
           shell(there + " addr add fd77:" + net + "::2/64 dev to" + side + " nodad") &&
           shell(here + " link set up0 up") && shell(there + " link set to" + side + " up");
  }
  void set(const std::string& side, const std::string& state) const {
    EXPECT_TRUE(shell("ip -n " + space(side) + " link set up0 " + state));
  }

  std::string mark_;
  bool usable_ = false;
};

class MiddleRelay {
 public:
  MiddleRelay(const Machines& machines, const std::string& listen, const std::string& to)
      : lines_(::popen(
            ("exec ip netns exec " + machines.space("middle") + " " SOTTO_RELAY " " + listen + " " + to + " >/dev/null")
                .c_str(),
            "we")) {}
  ~MiddleRelay() { ::pclose(lines_); }
  MiddleRelay(const MiddleRelay&) = delete;
  MiddleRelay& operator=(const MiddleRelay&) = delete;
  void tell(const std::string& line) {
    std::fputs((line + "\n").c_str(), lines_);
    std::fflush(lines_);
  }

 private:
  std::FILE* lines_;
};

RunPlan plan_on(const TestFolder& folder, const Machines& machines, std::uint64_t steps, const std::string& net1,
                const std::string& net2) {
  const auto at = [](const std::string& net, const std::string& host, const std::string& port) {
    return net.find(':') == std::string::npos ? net + host + ":" + port : "[" + net + host + "]:" + port;
  };
  RunPlan plans = plan_run(folder, {2, steps});
  for (auto& [key, role] : plans) {
    const bool left = key == "party_0";
    const bool right = key == "party_1";
    role.surroundings.prefix = machines.inside(left ? "left" : right ? "right" : "middle");
    auto& peers = role.config.peers;
    peers.at("party_0") = right ? at(net2, "2", "7200") : at(net1, "1", "7100");
    peers.at("party_1") = at(net2, "1", "7101");
    peers.at("dealer") = right ? at(net2, "2", "7102") : at(net1, "2", "7102");
    if (key == "dealer") role.config.listen = net1.find(':') == std::string::npos ? "0.0.0.0:7102" : "[::]:7102";
  }
  return plans;
}

void until_begun(const apps::bandit::run::BanditSettings& role, const SottoProcess& process, std::uint64_t steps) {
  for (std::uint64_t begun = 0; begun < steps;) {
    if (!runs(process.pid())) throw std::runtime_error("sotto ended too early: " + process.err());
    ::poll(nullptr, 0, 2);
    const std::string mark = contents(role.state / "begun");
    if (mark.size() >= sizeof begun) std::memcpy(&begun, mark.data(), sizeof begun);
  }
}

#define NEEDS_MACHINES(machines)                                                        \
  if (!(machines).usable()) {                                                           \
    GTEST_SKIP() << "needs root, the program ip, and a system with network namespaces"; \
  }

TEST(Namespaces, ASlowWayIsNoFault) {
  const Machines machines;
  NEEDS_MACHINES(machines);
  for (const bool v6 : {false, true}) {
    const TestFolder folder;
    MiddleRelay relay(machines, v6 ? "[fd77:2::2]:7200" : "10.77.2.2:7200", v6 ? "[fd77:1::1]:7100" : "10.77.1.1:7100");
    relay.tell("delay 3");
    RunPlan plans = plan_on(folder, machines, 20, v6 ? "fd77:1::" : "10.77.1.", v6 ? "fd77:2::" : "10.77.2.");
    for (auto& [key, role] : plans) role.config.round_deadline_seconds = 10;
    Processes processes = start_all(folder, plans);
    relay.tell("hold");
    relay.tell("pass");
    SCOPED_TRACE(v6 ? "IPv6" : "IPv4");
    expect_all_end(end_all(processes), 0);
  }
}

TEST(Namespaces, ACableIsPulled) {
  const Machines machines;
  NEEDS_MACHINES(machines);
  constexpr double deadline = 4;
  const TestFolder folder;
  MiddleRelay relay(machines, "10.77.2.2:7200", "10.77.1.1:7100");
  relay.tell("delay 1");
  RunPlan plans = plan_on(folder, machines, 4'000, "10.77.1.", "10.77.2.");
  for (auto& [key, role] : plans) {
    role.config.round_deadline_seconds = deadline;
    role.config.checkpoint_every = 5;
    role.config.state = folder.path() / ("state_" + key);
  }
  Processes processes = start_all(folder, plans);
  until_begun(plans.at("party_0").config, *processes.at("party_0"), 30);
  machines.pull("left");
  const Stopwatch watch;
  const Ends ends = end_all(processes);
  EXPECT_LT(watch.seconds(), deadline + slack_seconds);
  expect_all_end(ends, 3, " has sent nothing for 4 s in round ");
  expect_blame(ends, "party_0", 3, "has sent");

  machines.plug_in("left");
  relay.tell("delay 0");
  processes.clear();
  for (const auto& [key, role] : plans) processes[key] = start(folder, key, role, {"--resume"});
  expect_all_end(end_all(processes), 0);
  const apps::bandit::run::RoleReport report = apps::bandit::run::read_role_report(plans.at("actor").config.report);
  EXPECT_EQ(report.epoch, 2u);
  EXPECT_GT(report.from_step, 0u);
  ASSERT_FALSE(report.reward_curve.empty());
  EXPECT_EQ(report.reward_curve.back().step, 4'000u);
}

}  // namespace
}  // namespace sotto::testing
