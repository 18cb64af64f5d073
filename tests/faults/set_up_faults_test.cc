// Faults before the first round, of real roles over TLS.
#include <gtest/gtest.h>

#include <thread>

#include "sotto/net/transport/tcp/listener.h"
#include "sotto/net/transport/tls/identity.h"
#include "tests/faults/checks.h"
#include "tests/net/hostile.h"
#include "tests/relay/relay.h"

namespace sotto::testing {
namespace {

constexpr double deadline = 4;

RunPlan short_plan(const TestFolder& folder, RunShape shape = {}) {
  RunPlan plans = plan_run(folder, shape);
  for (auto& [key, role] : plans) role.config.connect_deadline_seconds = deadline;
  return plans;
}

std::map<std::string, Ended> run_in_time(const TestFolder& folder, const RunPlan& plans) {
  const Stopwatch watch;
  std::map<std::string, Ended> ends = run(folder, plans);
  EXPECT_LT(watch.seconds(), deadline + slack_seconds);
  return ends;
}

// Gives the role a key that nobody trusts, and returns it.
net::Identity with_another_key(const TestFolder& folder, RunPlan& plans, const std::string& role) {
  apps::BanditSettings& config = plans.at(role).config;
  net::Identity other = net::Identity::create(role);
  config.key = folder.path() / "other.pem";
  other.write(config.key);
  config.trust.at(role) = other.fingerprint();
  return other;
}

// Only `key` gives up as early as `deadline`, so that it is the one that says why.
void let_first(RunPlan& plans, const std::string& key) {
  for (auto& [other, role] : plans) {
    if (other != key) role.config.connect_deadline_seconds = 2 * deadline;
  }
}

net::Address address_of(const RunPlan& plans, const std::string& key) {
  return net::parse_address(plans.at("dealer").config.peers.at(key), key);
}

// Until somebody listens there.
void wait_for_listener(const net::Address& address) {
  for (;;) {
    try {
      const net::testing::Hostile visitor(address);
      return;
    } catch (const std::runtime_error&) {
      ::poll(nullptr, 0, 5);
    }
  }
}

TEST(SetUpFaults, APeerNeverComes) {
  for (const std::string missing : {"dealer", "party_0", "party_1", "actor"}) {
    const TestFolder folder;
    RunPlan plans = short_plan(folder);
    plans.erase(missing);
    const auto ends = run_in_time(folder, plans);
    int named = 0;
    for (const auto& [key, end] : ends) {
      expect_discreet(key, end);
      EXPECT_EQ(end.code, 3) << key << ": " << end.output;
      named += says(end, name_of(missing) + " cannot be reached at ") ||
               says(end, name_of(missing) + " has not connected to ");
      EXPECT_TRUE(says(end, " for 4 s") || says(end, "within 4 s")) << key << ": " << end.output;
    }
    EXPECT_GE(named, 1) << missing;
  }
}

TEST(SetUpFaults, APeerComesLate) {
  for (const std::string late : {"dealer", "party_0", "party_1", "actor"}) {
    const TestFolder folder;
    const RunPlan plans = plan_run(folder);
    Processes processes;
    for (const auto& [key, role] : plans) {
      if (key != late) processes[key] = start(folder, key, role);
    }
    for (const std::string listener : {"dealer", "party_0", "party_1"}) {
      if (listener != late) wait_for_listener(address_of(plans, listener));
    }
    processes[late] = start(folder, late, plans.at(late));
    SCOPED_TRACE(late + " is late");
    expect_all_end(end_all(processes), 0);
  }
}

// Party 1 has another key than the one that the others trust.
TEST(SetUpFaults, AWrongCertificateOfWhoConnects) {
  const TestFolder folder;
  RunPlan plans = short_plan(folder);
  const net::Identity other = with_another_key(folder, plans, "party_1");
  const auto ends = run_in_time(folder, plans);
  int found = 0;
  for (const auto& [key, end] : ends) {
    expect_discreet(key, end);
    EXPECT_TRUE(end.code == 7 || end.code == 3) << key << ": " << end.output;
    found += end.code == 7 && says(end, other.fingerprint());
  }
  EXPECT_GE(found, 1);
}

// The dealer, to which all others connect, has another key than the one that they trust.
TEST(SetUpFaults, AWrongCertificateOfWhoListens) {
  const TestFolder folder;
  RunPlan plans = short_plan(folder);
  const std::string due = plans.at("dealer").config.trust.at("dealer");
  const net::Identity other = with_another_key(folder, plans, "dealer");
  const auto ends = run_in_time(folder, plans);
  for (const auto& [key, end] : ends) {
    expect_discreet(key, end);
    if (key == "dealer") {
      EXPECT_TRUE(end.code == 3 || end.code == 7) << end.output;
      EXPECT_TRUE(says(end, "does not trust this role's certificate " + other.fingerprint())) << end.output;
      continue;
    }
    EXPECT_EQ(end.code, 7) << key << ": " << end.output;
    EXPECT_TRUE(says(end, "the dealer") && says(end, other.fingerprint()) && says(end, due))
        << key << ": " << end.output;
  }
}

// The holder of the actor's key says that it is party 1.
TEST(SetUpFaults, ACertificateOfAnotherRole) {
  const TestFolder folder;
  RunPlan plans = short_plan(folder);
  apps::BanditSettings& config = plans.at("party_1").config;
  config.key = plans.at("actor").config.key;
  std::swap(config.trust.at("party_1"), config.trust.at("actor"));
  plans.erase("actor");
  const auto ends = run(folder, plans);
  for (const auto& [key, end] : ends) {
    expect_discreet(key, end);
    EXPECT_EQ(end.code, key == "party_1" ? 7 : end.code) << key << ": " << end.output;
    EXPECT_TRUE(end.code == 7 || end.code == 3 || end.code == 5) << key << ": " << end.output;
    EXPECT_TRUE(says(end, "party 1") || says(end, "actor")) << key << ": " << end.output;
  }
}

// Two processes of one config, on two machines: only their addresses differ.
TEST(SetUpFaults, TwoPartiesOfOneId) {
  const TestFolder folder;
  RunPlan plans = short_plan(folder, {3});
  RolePlan twin = plans.at("party_1");
  twin.config.peers.at("party_1") = Ports::take();
  plans.emplace("twin", twin);
  plans.erase("party_2");  // so that nobody can begin
  const auto ends = run_in_time(folder, plans);
  expect_all_end(ends, 5, "two roles say that they are party 1");
}

TEST(SetUpFaults, APortThatIsTaken) {
  const TestFolder folder;
  const RunPlan plans = short_plan(folder);
  const net::TcpListener taken(address_of(plans, "party_0"));
  const auto process = start(folder, "party_0", plans.at("party_0"));
  const Ended end = end_of(*process);
  EXPECT_EQ(end.code, 6) << end.output;
  EXPECT_TRUE(says(end, taken.address().text())) << end.output;
}

// Strangers that say nothing, garbage, plain frames, or that go away again hold nobody up.
TEST(SetUpFaults, StrangersOnThePort) {
  const TestFolder folder;
  const RunPlan plans = plan_run(folder);
  Processes processes;
  for (const std::string key : {"dealer", "party_0", "party_1"}) {
    processes[key] = start(folder, key, plans.at(key));
  }
  std::vector<std::unique_ptr<net::testing::Hostile>> strangers;
  for (const std::string key : {"dealer", "party_0", "party_1"}) {
    const net::Address address = address_of(plans, key);
    wait_for_listener(address);
    for (int i = 0; i < 20; ++i) {
      auto stranger = std::make_unique<net::testing::Hostile>(address);
      if (i % 4 == 1) stranger->say(net::testing::Bytes(5000, std::byte{0x16}));
      if (i % 4 == 2) stranger->say({64, FrameType::hello, 0, 0}, net::testing::Bytes(64));
      if (i % 4 == 3) stranger->end_writing();
      strangers.push_back(std::move(stranger));
    }
  }
  processes["actor"] = start(folder, "actor", plans.at("actor"));
  expect_all_end(end_all(processes), 0);
}

// What is at the address of party 0 is no sotto: it answers, or says nothing, or hangs up.
TEST(SetUpFaults, AnotherProgramOnThePort) {
  const std::string answer = "HTTP/1.1 400 Bad Request\r\n\r\n";
  const std::vector<std::pair<std::string, std::string>> programs = {
      {answer, "does not speak TLS"}, {"", "has said nothing for 4 s"}, {"hang up", "took the connection, but "}};
  for (const auto& [speech, part] : programs) {
    const TestFolder folder;
    RunPlan plans = short_plan(folder);
    plans.erase("party_0");
    let_first(plans, "party_1");
    net::Io io;
    net::TcpListener listener(address_of(plans, "party_0"));
    std::atomic<bool> over{false};
    std::jthread other([&, speech = speech] {
      std::vector<std::unique_ptr<net::ByteStream>> taken;
      listener.accept_on(io, [&](auto accepted, const std::string&) {
        if (!accepted || speech == "hang up") return;
        taken.push_back(std::move(accepted->stream));
        const auto bytes = std::as_bytes(std::span(speech.data(), speech.size()));
        if (!speech.empty()) (void)taken.back()->write_some(bytes, {});
      });
      while (!over.load()) io.run_for(std::chrono::milliseconds(2));
    });
    const Stopwatch watch;
    const auto ends = run(folder, plans);
    over = true;
    EXPECT_LT(watch.seconds(), deadline + slack_seconds);
    expect_all_end(ends, 3, "party 0");
    EXPECT_TRUE(says(ends.at("party_1"), part)) << ends.at("party_1").output;
  }
}

TEST(SetUpFaults, AnAddressThatDoesNotResolve) {
  const TestFolder folder;
  RunPlan plans = short_plan(folder);
  let_first(plans, "actor");
  plans.at("actor").config.peers.at("party_0") = "no-such-host.invalid:4000";
  const auto ends = run_in_time(folder, plans);
  expect_all_end(ends, 3);
  EXPECT_TRUE(says(ends.at("actor"), "no-such-host.invalid")) << ends.at("actor").output;
}

TEST(SetUpFaults, ConfigsOfTwoSessions) {
  const TestFolder folder;
  RunPlan plans = short_plan(folder);
  plans.at("party_1").config.session = apps::fresh_session();
  const auto ends = run(folder, plans);
  expect_all_end(ends, 5, "session");
}

// Until it says that it stays for those that are not there, or has ended.
void wait_until_it_stays(const SottoProcess& process) {
  while (process.err().find("stays up to") == std::string::npos && runs(process.pid())) {
    ::poll(nullptr, 0, 5);
  }
}

// Each role is the last one once; it starts when all others know that party 1 has another config.
TEST(SetUpFaults, ConfigsThatDifferInAnyOrderOfStart) {
  for (const std::string last : {"dealer", "party_0", "party_1", "actor"}) {
    const TestFolder folder;
    RunPlan plans = plan_run(folder);
    plans.at("party_1").config.epsilon = 0.2;
    Processes processes;
    for (const auto& [key, role] : plans) {
      if (key != last) processes[key] = start(folder, key, role);
    }
    for (const auto& [key, process] : processes) {
      if (last != "party_1") wait_until_it_stays(*process);
    }
    processes[last] = start(folder, last, plans.at(last));
    SCOPED_TRACE(last + " is last");
    expect_all_end(end_all(processes), 5, "epsilon = ");
  }
}

// Nobody else comes: the two that disagree end at the deadline, or at once when they are interrupted.
TEST(SetUpFaults, WhoStaysToTellEndsWithItsCause) {
  for (const bool interrupted : {false, true}) {
    const TestFolder folder;
    RunPlan plans = interrupted ? plan_run(folder) : short_plan(folder);
    plans.at("party_1").config.epsilon = 0.2;
    Processes processes;
    for (const std::string key : {"dealer", "party_1"}) {
      processes[key] = start(folder, key, plans.at(key));
    }
    for (const auto& [key, process] : processes) {
      wait_until_it_stays(*process);
      EXPECT_NE(process->err().find(" to tell party 0, actor, too"), std::string::npos) << process->err();
    }
    for (const auto& [key, process] : processes) {
      if (interrupted) process->signal(SIGINT);
    }
    expect_all_end(end_all(processes), 5, "epsilon = ");
  }
}

TEST(SetUpFaults, ARoleWithoutTls) {
  const TestFolder folder;
  RunPlan plans = short_plan(folder);
  apps::BanditSettings& config = plans.at("party_1").config;
  config.insecure_plaintext = true;
  config.trust.clear();
  config.key.clear();
  const auto ends = run(folder, plans);
  int found = 0;
  for (const auto& [key, end] : ends) {
    expect_discreet(key, end);
    EXPECT_EQ(end.code, 3) << key << ": " << end.output;
    found += says(end, "speak TLS") || says(end, "speaks no TLS");
  }
  EXPECT_GE(found, 1);
}

TEST(SetUpFaults, AKeyThatOthersCanRead) {
  const TestFolder folder;
  const RunPlan plans = short_plan(folder);
  fs::permissions(plans.at("party_0").config.key, fs::perms(0644));
  const auto process = start(folder, "party_0", plans.at("party_0"));
  const Ended end = end_of(*process);
  EXPECT_EQ(end.code, 2) << end.output;
  EXPECT_TRUE(says(end, "chmod")) << end.output;
}

// The file of the report may not grow: the run is complete at all roles, and one says what it lacks.
TEST(SetUpFaults, TheDiskIsFullForAReport) {
  for (const std::string key : {"dealer", "party_0", "actor"}) {
    const TestFolder folder;
    RunPlan plans = plan_run(folder);
    plans.at(key).surroundings.largest_file = 300;
    const auto ends = run(folder, plans);
    for (const auto& [role, end] : ends) {
      expect_discreet(role, end);
      EXPECT_EQ(end.code, role == key ? 6 : 0) << role << ": " << end.output;
    }
    EXPECT_TRUE(says(ends.at(key), "cannot write ") && says(ends.at(key), "File too large")) << ends.at(key).output;
    EXPECT_FALSE(fs::exists(plans.at(key).config.report));
  }
}

}  // namespace
}  // namespace sotto::testing
