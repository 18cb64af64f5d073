#include <fmt/format.h>

#include <latch>

#include "net/mesh/handshake/authenticated_peers.h"
#include "sotto/protocol/mesh/mesh.h"
#include "tests/net/hostile.h"
#include "tests/net/roles.h"

namespace sotto::net::testing {
namespace {

Hello hello_of_party_1(const MeshConfig& config) {
  Hello hello;
  hello.sender = 1;
  hello.parties = static_cast<std::uint8_t>(config.topology.parties());
  hello.session = config.session;
  hello.parameters = config.parameters;
  hello.announcement = "columns = 1";
  return hello;
}

// The dealer, party 0 and the actor run the real code. `act` plays party 1 on the link to party 0. Party 1 connects to
// no other role. With `until_all_know`, the real roles are interrupted when each real role has ended or waits for party
// 1.
std::map<NodeId, Outcome> against(const std::function<void(Hostile&, Hello)>& act, std::chrono::milliseconds deadline,
                                  bool until_all_know = false) {
  auto configs = tcp_configs(Topology(2));
  // The port of party 1 stays bound, so the actor's connection is accepted and never answered.
  const std::optional<TcpListener> unanswered = std::move(configs.at(1).listener);
  const Hello hello = hello_of_party_1(configs.at(1));
  const Address victim = configs.at(0).listener->address();
  configs.erase(1);
  std::mutex mutex;
  std::set<NodeId> know;
  std::atomic<bool> all_know{false};
  const auto knows = [&](NodeId role) {
    const std::lock_guard lock(mutex);
    know.insert(role);
    all_know = know.size() == 3;
  };
  for (auto& [role, config] : configs) {
    config.setup_deadline = deadline;
    if (until_all_know) config.interrupted = &all_know;
    config.notice = [&knows, id = role](const std::string&) { knows(id); };
  }
  std::jthread hostile([&] {
    Hostile peer(victim);
    act(peer, hello);
    peer.hear_out();
  });
  return run_roles(std::move(configs), [&](NodeId role, MeshConfig config) {
    try {
      (void)set_up_mesh(std::move(config));
    } catch (...) {
      knows(role);
      throw;
    }
  });
}

constexpr std::chrono::milliseconds soon{400};
constexpr std::chrono::milliseconds late{5'000};

TEST(SetUp, WhatIsNoHelloIsDroppedAndTheMissingPeerNamed) {
  const std::vector<std::function<void(Hostile&, Hello)>> acts = {
      [](Hostile& peer, const Hello&) { peer.say(Bytes(100, std::byte{0x5a})); },
      [](Hostile& peer, const Hello&) { peer.say(Bytes(10'000'000, std::byte{0})); },
      [](Hostile& peer, const Hello&) {
        peer.say({0xffffffff, FrameType::hello, 0, 0}, Bytes(1000));
      },
      [](Hostile& peer, const Hello&) {
        peer.say({200, FrameType::hello, 0, 0}, Bytes(200));
      },
      [](Hostile& peer, const Hello&) {
        peer.say({64, FrameType::round, 0, 0}, Bytes(64));
      },
      [](Hostile& peer, const Hello&) {
        const Bytes last_word = encode(Failure{ExitCode::usage, 0, 0, 0, "give up"});
        peer.say({static_cast<std::uint32_t>(last_word.size()), FrameType::failed, 0, 0}, last_word);
      },
      [](Hostile& peer, const Hello& hello) {
        const Bytes payload = encode(hello);
        peer.say({static_cast<std::uint32_t>(payload.size()), FrameType::hello, 0, 0}, std::span(payload).first(50));
        peer.end_writing();
      },
  };
  for (std::size_t i = 0; i < acts.size(); ++i) {
    for (const auto& [role, outcome] : against(acts[i], soon)) {
      EXPECT_EQ(outcome.code, 3) << i << ": " << outcome.message;
      EXPECT_NE(outcome.message.find("party 1"), std::string::npos) << i << ": " << outcome.message;
    }
  }
}

// Both sides must be able to report the difference, so the refused side receives a hello before the refusal.
TEST(SetUp, DisagreementsEndBothSides) {
  const std::pair<std::function<void(Hello&)>, std::string> cases[] = {
      {[](Hello& h) { h.version = 1; }, fmt::format("wire version {} here, 1 at", wire_version)},
      {[](Hello& h) { h.session[0] = std::byte{99}; }, "party 1 has another session id"},
      {[](Hello& h) { h.parties = 5; }, "parties = 2 here, 5 at party 1"},
      {[](Hello& h) { h.parameters = "steps = 10\nepsilon = 0.2\narms = 3\n"; }, "epsilon = 0.1 here, 0.2 at party 1"},
      {[](Hello& h) { h.sender = 7; }, "check the ids"},
      {[](Hello& h) { h.sender = 0; }, "check the ids"},
  };
  for (const auto& [change, says] : cases) {
    bool heard_hello = false;
    const auto outcomes = against(
        [&, &change = change](Hostile& peer, Hello hello) {
          change(hello);
          peer.say_hello(hello);
          FrameHeader header;
          const auto answer = decode_hello(peer.receive(header));
          heard_hello = header.type == FrameType::hello && answer && answer->sender == 0;
        },
        late, true);
    EXPECT_TRUE(heard_hello) << says;
    expect_all(outcomes, 5, says);
  }
}

TEST(SetUp, EveryRoleKnowsWhatOwnersAnnounced) {
  const Topology topology = Topology(2, true).with_owners(3);
  auto configs = tcp_configs(topology);
  configs.at(topology.owner(1)).announcement.clear();
  const auto outcomes = set_up_all(std::move(configs), [&](NodeId role, Mesh& mesh) {
    for (NodeId node = 0; node < topology.parties_and_owners(); ++node) {
      EXPECT_EQ(mesh.announcement(node), node == topology.owner(1) ? "" : fmt::format("columns = {}", node))
          << int{node} << " at " << int{role};
    }
  });
  EXPECT_EQ(outcomes.size(), 8u);
  expect_all(outcomes, 0);
}

TEST(SetUp, AHelperMeetsAllOthers) {
  const Topology topology = Topology::with_helper(true, true);
  const auto outcomes = set_up_all(tcp_configs(topology), [&](NodeId role, Mesh& mesh) {
    EXPECT_EQ(mesh.links().size(), peers_of(topology, role).size());
    for (NodeId party = 0; party < 2; ++party) EXPECT_EQ(mesh.announcement(party), fmt::format("columns = {}", party));
  });
  EXPECT_EQ(outcomes.size(), 5u);
  expect_all(outcomes, 0);
}

TEST(SetUp, AnOwnerAnnouncesLittle) {
  const Topology topology = Topology::without_dealer(2, true, false).with_owners(1);
  MeshConfig config{topology, topology.owner(0), session_of(1), parameters, std::string(longest_of_owner + 1, 'x')};
  EXPECT_EQ(outcome_of([&] { (void)set_up_mesh(std::move(config)); }).code, 2);
}

// A rule by which roles agree on the state to resume from. The rule joins the states of all roles in the order of the
// roles, and refuses the state that is the single byte 99.
ResumeBytes all_that_was_said(const ResumeStates& states) {
  ResumeBytes all;
  for (const auto& [role, said] : states) {
    if (said == ResumeBytes{std::byte{99}}) throw DisagreementError("no point suits all");
    all.insert(all.end(), said.begin(), said.end());
  }
  return all;
}

// Party 1 sends different data to party 0 and to the dealer, and neither of these two roles can see this by itself.
TEST(SetUp, WhoTellsDifferentPeersDifferentThingsIsFoundOut) {
  struct Case {
    std::function<void(Hello&)> lie;
    std::string says;
    int code;
  };
  const Case cases[] = {
      {[](Hello& h) { h.announcement = "columns = 2"; }, "party 1 announced other data to", 5},
      // Different nonces also occur if a role was restarted meanwhile, so the run may be tried again.
      {[](Hello& h) { h.nonce[0] ^= std::byte{1}; }, "has heard other nonces than", 3},
      {[](Hello& h) { h.resume_state = {std::byte{6}}; }, "told them different states to resume from", 5},
  };
  for (const auto& [lie, says, code] : cases) {
    auto configs = tcp_configs(Topology(2));
    const std::optional<TcpListener> unanswered = std::move(configs.at(1).listener);
    const Hello hello = hello_of_party_1(configs.at(1));
    const Address dealer = configs.at(dealer_id).listener->address();
    const Address party_0 = configs.at(0).listener->address();
    configs.erase(1);
    for (auto& [role, config] : configs) config.resume.agree = all_that_was_said;
    std::jthread liar([&, &lie = lie] {
      Hostile to_dealer(dealer);
      Hostile to_party_0(party_0);
      to_dealer.say_hello(hello);
      Hello other = hello;
      lie(other);
      to_party_0.say_hello(other);
      to_dealer.hear_out();
      to_party_0.hear_out();
    });
    expect_all(set_up_all(std::move(configs)), code, says);
  }
}

TEST(SetUp, AllOpenTheSameSessionAndGoOnFromOnePoint) {
  const Topology topology(3, true);
  std::map<NodeId, std::pair<SessionId, ResumeBytes>> opened;
  std::mutex mutex;
  const auto run = [&](bool resumed) {
    auto configs = tcp_configs(topology);
    for (auto& [role, config] : configs) {
      if (!resumed) continue;
      config.resume.state = {std::byte{role}};
      config.resume.agree = all_that_was_said;
    }
    expect_all(set_up_all(std::move(configs),
                          [&](NodeId id, const Mesh& mesh) {
                            const std::lock_guard lock(mutex);
                            opened[id] = {mesh.session(), mesh.resume_point()};
                          }),
               0);
    ASSERT_EQ(opened.size(), 6u);
    for (const auto& [role, what] : opened) EXPECT_EQ(what, opened.at(0)) << int{role};
  };
  run(false);
  EXPECT_EQ(opened.at(0).second, ResumeBytes());
  const SessionId first = opened.at(0).first;
  EXPECT_NE(first, session_of(1));
  run(true);
  EXPECT_EQ(opened.at(0).second,
            (ResumeBytes{std::byte{0}, std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}, std::byte{dealer_id}}));
  EXPECT_NE(opened.at(0).first, first);
}

TEST(SetUp, AllHearThatNoResumePointSuitsThem) {
  auto configs = tcp_configs(Topology(2));
  configs.at(1).resume.state = {std::byte{99}};
  for (auto& [role, config] : configs) config.resume.agree = all_that_was_said;
  expect_all(set_up_all(std::move(configs)), 5, "no point suits all");
}

TEST(SetUp, AConnectionLostBeforeTheHelloIsTriedAgain) {
  auto configs = tcp_configs(Topology(2));
  std::latch all_set_up(4);
  const auto outcomes = run_roles(std::move(configs), [&](NodeId role, MeshConfig config) {
    if (role == dealer_id) {
      Io io;
      int refused = 0;
      config.listener->accept_on(io, [&](const auto&, const std::string&) { ++refused; });
      while (refused < 3) io.run_for(std::chrono::seconds(1));
      config.listener.emplace(config.listener->release());
    }
    const Mesh mesh = set_up_mesh(std::move(config));
    all_set_up.arrive_and_wait();
  });
  expect_all(outcomes, 0);
}

TEST(SetUp, AnnouncementsReachAll) {
  const Topology topology(3, true);
  std::map<NodeId, std::vector<std::string>> received;
  std::mutex mutex;
  expect_all(set_up_all(tcp_configs(topology),
                        [&](NodeId role, const Mesh& mesh) {
                          const std::lock_guard lock(mutex);
                          for (NodeId party = 0; party < 3; ++party) received[role].push_back(mesh.announcement(party));
                        }),
             0);
  const std::vector<std::string> due{"columns = 0", "columns = 1", "columns = 2"};
  ASSERT_EQ(received.size(), 6u);
  for (const auto& [role, announcements] : received) EXPECT_EQ(announcements, due);
}

TEST(SetUp, AnInterruptEndsIt) {
  auto configs = tcp_configs(Topology(2));
  configs.erase(0);
  std::atomic<bool> interrupted{true};
  for (auto& [role, config] : configs) config.interrupted = &interrupted;
  const auto outcomes = set_up_all(std::move(configs));
  EXPECT_TRUE(outcomes.at(1).code == 130 || outcomes.at(1).code == 3);
  int interrupts = 0;
  for (const auto& [role, outcome] : outcomes) interrupts += outcome.code == 130;
  EXPECT_GE(interrupts, 1);
}

}  // namespace
}  // namespace sotto::net::testing
