#include "sotto/protocol/transport/tcp/listener.h"
#include "sotto/protocol/transport/tls/identity.h"
#include "tests/faults/checks.h"
#include "tests/net/hostile.h"
#include "tests/process/traced_process.h"
#include "tests/relay/relay.h"

namespace sotto::testing {
namespace {

constexpr double deadline = 4;

using SetUpFaults = InFolder;

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

void let_first(RunPlan& plans, const std::string& key) {
  for (auto& [other, role] : plans) {
    if (other != key) role.config.connect_deadline_seconds = 2 * deadline;
  }
}

net::Address address_of(const RunPlan& plans, const std::string& key) {
  return net::parse_address(plans.at("dealer").config.peers.at(key), key);
}

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

TEST_F(SetUpFaults, APeerNeverComes) {
  for (const std::string missing : {"dealer", "party_0", "party_1", "actor"}) {
    const TestFolder own;
    RunPlan plans = short_plan(own);
    plans.erase(missing);
    const auto ends = run_in_time(own, plans);
    EXPECT_EQ(count_saying(ends, {" for 4 s", "within 4 s"}, 3), static_cast<int>(ends.size())) << missing;
    const std::string name = name_of(missing);
    EXPECT_GE(count_saying(ends, {name + " cannot be reached at ", name + " has not connected to "}, 3), 1) << missing;
  }
}

TEST_F(SetUpFaults, APeerComesLate) {
  for (const std::string late : {"dealer", "party_0", "party_1", "actor"}) {
    const TestFolder own;
    const RunPlan plans = plan_run(own);
    Processes processes;
    for (const auto& [key, role] : plans) {
      if (key != late) processes[key] = start(own, key, role);
    }
    for (const std::string listener : {"dealer", "party_0", "party_1"}) {
      if (listener != late) wait_for_listener(address_of(plans, listener));
    }
    processes[late] = start(own, late, plans.at(late));
    SCOPED_TRACE(late + " is late");
    expect_all_end(end_all(processes), 0);
  }
}

// Party 1 has a key that differs from the key that the other roles trust. Party 1 calls the dealer and party 0, which
// refuse party 1 as a stranger. The actor, which calls party 1, refuses party 1 and notifies the other roles.
TEST_F(SetUpFaults, AWrongCertificateOfWhoConnects) {
  RunPlan plans = plan_run(folder);
  const std::string fingerprint = renew_key(folder, "party_1", plans.at("party_1").config);
  expect_all_end(run(folder, plans), 7, fingerprint);
}

TEST_F(SetUpFaults, AWrongCertificateOfWhoListens) {
  RunPlan plans = short_plan(folder);
  const std::string due = plans.at("dealer").config.trust.at("dealer");
  const std::string other = renew_key(folder, "dealer", plans.at("dealer").config);
  const auto ends = run_in_time(folder, plans);
  for (const auto& [key, end] : ends) {
    expect_discreet(key, end);
    if (key == "dealer") {
      EXPECT_TRUE(end.code == 3 || end.code == 7) << end.output;
      EXPECT_TRUE(says(end, "does not trust this role's certificate " + other)) << end.output;
      continue;
    }
    EXPECT_EQ(end.code, 7) << key << ": " << end.output;
    EXPECT_TRUE(says(end, "the dealer") && says(end, other) && says(end, due)) << key << ": " << end.output;
  }
}

TEST_F(SetUpFaults, ACertificateOfAnotherRole) {
  RunPlan plans = short_plan(folder);
  apps::bandit::run::BanditSettings& config = plans.at("party_1").config;
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

TEST_F(SetUpFaults, TwoPartiesOfOneId) {
  RunPlan plans = short_plan(folder, {3});
  RolePlan twin = plans.at("party_1");
  twin.config.peers.at("party_1") = Ports::take();
  plans.emplace("twin", twin);
  plans.erase("party_2");
  expect_all_end(run_in_time(folder, plans), 5, "two roles say that they are party 1");
}

TEST_F(SetUpFaults, APortThatIsTaken) {
  const RunPlan plans = short_plan(folder);
  const net::TcpListener taken(address_of(plans, "party_0"));
  expect_role_refused(folder, "party_0", plans.at("party_0"), taken.address().text(), 6);
}

TEST_F(SetUpFaults, StrangersOnThePort) {
  const RunPlan plans = plan_run(folder);
  Processes processes;
  for (const std::string key : {"dealer", "party_0", "party_1"}) processes[key] = start(folder, key, plans.at(key));
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

TEST_F(SetUpFaults, AnotherProgramOnThePort) {
  const std::string answer = "HTTP/1.1 400 Bad Request\r\n\r\n";
  const std::vector<std::pair<std::string, std::string>> programs = {
      {answer, "does not speak TLS"}, {"", "has said nothing for 4 s"}, {"hang up", "took the connection, but "}};
  for (const auto& [speech, part] : programs) {
    const TestFolder own;
    RunPlan plans = short_plan(own);
    plans.erase("party_0");
    let_first(plans, "party_1");
    net::Io io;
    net::TcpListener listener(address_of(plans, "party_0"));
    std::jthread other([&, speech = speech](const std::stop_token& stop) {
      std::vector<std::unique_ptr<net::ByteStream>> taken;
      listener.accept_on(io, [&](auto accepted, const std::string&) {
        if (!accepted || speech == "hang up") return;
        taken.push_back(std::move(accepted->stream));
        const auto bytes = std::as_bytes(std::span(speech.data(), speech.size()));
        if (!speech.empty()) (void)taken.back()->write_some(bytes, {});
      });
      while (!stop.stop_requested()) io.run_for(std::chrono::milliseconds(2));
    });
    const Stopwatch watch;
    const auto ends = run(own, plans);
    EXPECT_LT(watch.seconds(), deadline + slack_seconds);
    expect_all_end(ends, 3, "party 0");
    EXPECT_TRUE(says(ends.at("party_1"), part)) << ends.at("party_1").output;
  }
}

TEST_F(SetUpFaults, AnAddressThatDoesNotResolve) {
  RunPlan plans = short_plan(folder);
  let_first(plans, "actor");
  plans.at("actor").config.peers.at("party_0") = "no-such-host.invalid:4000";
  const auto ends = run_in_time(folder, plans);
  expect_all_end(ends, 3);
  EXPECT_TRUE(says(ends.at("actor"), "no-such-host.invalid")) << ends.at("actor").output;
}

TEST_F(SetUpFaults, ConfigsOfTwoSessions) {
  RunPlan plans = short_plan(folder);
  plans.at("party_1").config.session = apps::fresh_session();
  expect_all_end(run(folder, plans), 5, "session");
}

void wait_until_it_stays(const SottoProcess& process) {
  while (process.err().find("stays up to") == std::string::npos && runs(process.pid())) ::poll(nullptr, 0, 5);
}

TEST_F(SetUpFaults, ConfigsThatDifferInAnyOrderOfStart) {
  for (const std::string last : {"dealer", "party_0", "party_1", "actor"}) {
    const TestFolder own;
    RunPlan plans = plan_run(own);
    plans.at("party_1").config.epsilon = 0.2;
    Processes processes;
    for (const auto& [key, role] : plans) {
      if (key != last) processes[key] = start(own, key, role);
    }
    for (const auto& [key, process] : processes) {
      if (last != "party_1") wait_until_it_stays(*process);
    }
    processes[last] = start(own, last, plans.at(last));
    SCOPED_TRACE(last + " is last");
    expect_all_end(end_all(processes), 5, "epsilon = ");
  }
}

TEST_F(SetUpFaults, WhoStaysToTellEndsWithItsCause) {
  for (const bool interrupted : {false, true}) {
    const TestFolder own;
    RunPlan plans = interrupted ? plan_run(own) : short_plan(own);
    plans.at("party_1").config.epsilon = 0.2;
    Processes processes;
    for (const std::string key : {"dealer", "party_1"}) processes[key] = start(own, key, plans.at(key));
    for (const auto& [key, process] : processes) {
      wait_until_it_stays(*process);
      EXPECT_THAT(process->err(), HasSubstr(" to tell party 0, actor, too"));
    }
    for (const auto& [key, process] : processes) {
      if (interrupted) process->signal(SIGINT);
    }
    expect_all_end(end_all(processes), 5, "epsilon = ");
  }
}

TEST_F(SetUpFaults, ARoleWithoutTls) {
  RunPlan plans = short_plan(folder);
  apps::bandit::run::BanditSettings& config = plans.at("party_1").config;
  config.insecure_plaintext = true;
  config.trust.clear();
  config.key.clear();
  EXPECT_GE(count_saying(run(folder, plans), {"speak TLS", "speaks no TLS"}, 3), 1);
}

TEST_F(SetUpFaults, AKeyThatOthersCanRead) {
  const RunPlan plans = short_plan(folder);
  fs::permissions(plans.at("party_0").config.key, fs::perms(0644));
  expect_role_refused(folder, "party_0", plans.at("party_0"), "chmod");
}

TEST_F(SetUpFaults, TheDiskIsFullForAReport) {
  for (const std::string key : {"dealer", "party_0", "actor"}) {
    const TestFolder own;
    RunPlan plans = plan_run(own);
    plans.at(key).surroundings.largest_file = 64;  // bytes, fewer than any report has
    const auto ends = run(own, plans);
    for (const auto& [role, end] : ends) {
      expect_discreet(role, end);
      EXPECT_EQ(end.code, role == key ? 6 : 0) << role << ": " << end.output;
    }
    EXPECT_TRUE(says(ends.at(key), "cannot write ") && says(ends.at(key), "File too large")) << ends.at(key).output;
    EXPECT_FALSE(fs::exists(plans.at(key).config.report));
  }
}

// `sotto bandit` is killed while it begins a run that keeps its state. At whatever moment the kill happens, the run can
// be resumed or begun again in the same folder. If one of the two commands is refused, its error names the other
// command.

Words begin(const TestFolder& folder) {
  write_small_run(folder, "0.5", "-0.25", 2, 2);
  return small_run({"--checkpoint-every", "1", "--out", "out"});
}

std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> names;
  if (!fs::exists(folder)) return names;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    std::string name = fs::relative(entry.path(), folder);
    if (name.ends_with(".tmp")) name.erase(name.find_first_of("0123456789", name.find("/.")));
    names.insert(name + (entry.is_regular_file() && entry.file_size() > 0 ? " +" : ""));
  }
  return names;
}

void expect_complete(const TestFolder& folder) {
  const fs::path out = folder.path() / "out";
  EXPECT_EQ(json::parse(contents(out / "run.json")).at("status"), "complete");
  EXPECT_FALSE(fs::exists(out / "state.new"));
}

bool goes_on(const TestFolder& folder, const Words& words) {
  SottoProcess resume(folder, {"bandit", "--resume", "out"});
  const bool resumed = resume.wait() == 0;
  if (resumed) {
    expect_complete(folder);
  } else {
    expect_end(resume, 2, "start a run again in its folder");
  }
  SottoProcess again(folder, words);
  EXPECT_EQ(again.wait(), resumed ? 2 : 0) << again.err();
  expect_complete(folder);
  return resumed;
}

TEST(Begin, ALauncherThatIsKilledAtAnyInstantLeavesWhatCanGoOn) {
  std::set<std::set<std::string>> seen;
  std::size_t resumed = 0;
  std::size_t begun_again = 0;
  for (std::size_t n = 0;; ++n) {
    const TestFolder folder;
    const Words words = begin(folder);
    const Traced end = run_until_change(folder, words, n);
    if (end == Traced::cannot_be_traced) GTEST_SKIP() << "processes cannot be traced here";
    ASSERT_NE(end, Traced::ended);
    ASSERT_LT(n, 1000u);
    // The next command acts in the same way in two folders that have the same file names, so the test tries only one of
    // these folders.
    if (seen.insert(names_in(folder.path() / "out")).second) {
      SCOPED_TRACE(n);
      ++(goes_on(folder, words) ? resumed : begun_again);
    }
    if (end == Traced::came_to_its_children) break;
  }
  EXPECT_GE(resumed, 1u);
  EXPECT_GE(begun_again, 10u);
}

TEST(Begin, WhatAnotherProcessBeginsIsLeftAlone) {
  const TestFolder folder;
  const Words words = begin(folder);
  fs::create_directories(folder.path() / "out" / "state.new");
  folder.write("out/state.new/theirs", "x");
  const Words holding{"flock", "-x", (folder.path() / "out" / "state.new").string()};
  expect_refused(folder, words, "another process begins a run here", 6, {holding, {}});
  EXPECT_EQ(contents(folder.path() / "out" / "state.new" / "theirs"), "x");
  succeed(folder, words);
  expect_complete(folder);
}

}  // namespace
}  // namespace sotto::testing
