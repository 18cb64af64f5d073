// A peer that joins properly and then breaks the protocol: every honest role ends with a typed error, the same at all
// of them.
#include <gtest/gtest.h>

#include "sotto/net/mesh/abort.h"
#include "sotto/net/mesh/driver/run.h"
#include "tests/net/roles.h"

namespace sotto::net::testing {
namespace {

using Bytes = std::vector<std::byte>;

Bytes frame(FrameHeader header, std::size_t bytes_that_follow) {
  Bytes bytes(FrameHeader::size + bytes_that_follow, std::byte{1});
  write_header(header, std::span(bytes).first<FrameHeader::size>());
  return bytes;
}

// Blocks until the peer has taken all of it, or is gone.
void push(Link& link, const Bytes& bytes) {
  link.send({}, bytes);
  while (!link.flush()) {
    const Waitable waitable = link.wait_for(false);
    wait_any(std::span(&waitable, 1), std::chrono::seconds(1));
  }
}

void wait_until_closed(Link& link) {
  for (;;) {
    try {
      link.look_for_failure();
    } catch (const Error&) {
      continue;
    }
    if (link.closed()) return;
    const Waitable waitable = link.wait_for(true);
    wait_any(std::span(&waitable, 1), std::chrono::seconds(1));
  }
}

// Its frame of round 0 to party 1, as an honest party 0 would send it.
Bytes honest_frame(const Chatter& chatter, const SessionId& session) {
  Rounds rounds(Topology(2), NodeId{0});
  rounds.bind_to(epoch_digest(session, chatter.options.epoch));
  Task<std::uint64_t> program = testing::chatter(rounds, 0, chatter.rounds, chatter.lanes);
  program.start_on(rounds);
  EXPECT_TRUE(rounds.gather());
  const auto bytes = rounds.frame_to(1);
  Bytes copy(bytes.begin(), bytes.end());
  rounds.abandon();
  return copy;
}

// Party 0 joins, says that it is ready, and does what `act` does to party 1.
std::map<NodeId, Outcome> party_0_does(const std::function<void(Link&, Bytes honest)>& act) {
  const Chatter chatter{50, 5, 40};
  return run_roles(tcp_configs(Topology(2)), [&](NodeId role, MeshConfig config) {
    Mesh mesh = set_up_mesh(std::move(config));
    if (role != 0) {
      run_chatter(mesh, chatter);
      return;
    }
    for (const NodeId peer : {NodeId{1}, NodeId{2}}) {
      mesh.link(peer).post(FrameType::ready, 0, {});
      mesh.link(peer).flush();
    }
    act(mesh.link(1), honest_frame(chatter, mesh.session()));
    wait_until_closed(mesh.link(1));
    for (const auto& link : mesh.links()) link->close();
  });
}

struct Attack {
  const char* name;
  int code;
  std::function<void(Link&, Bytes)> act;
};

FrameHeader changed(const Bytes& honest, const std::function<void(FrameHeader&)>& change) {
  FrameHeader header;
  EXPECT_TRUE(read_header(std::span(honest).first<FrameHeader::size>(), header));
  change(header);
  return header;
}

const std::vector<Attack>& attacks() {
  static const std::vector<Attack> all = {
      {"garbage", 4, [](Link& l, const Bytes&) { push(l, Bytes(64, std::byte{0xee})); }},
      {"unknown type", 4,
       [](Link& l, const Bytes&) {
         push(l, frame({8, static_cast<FrameType>(77), 0, 0}, 8));
       }},
      {"oversized", 4,
       [](Link& l, const Bytes& h) { push(l, frame(changed(h, [](FrameHeader& f) { f.length = 0xffffffff; }), 100)); }},
      {"too short", 4,
       [](Link& l, const Bytes& h) { push(l, frame(changed(h, [](FrameHeader& f) { f.length -= 8; }), 32)); }},
      {"wrong round", 4,
       [](Link& l, const Bytes& h) { push(l, frame(changed(h, [](FrameHeader& f) { f.round = 1; }), 40)); }},
      {"wrong digest", 4,
       [](Link& l, const Bytes& h) { push(l, frame(changed(h, [](FrameHeader& f) { f.digest ^= 1; }), 40)); }},
      {"replay", 4,
       [](Link& l, const Bytes& h) {
         push(l, h);
         push(l, h);
       }},
      {"a chunk from a party", 4,
       [](Link& l, const Bytes& h) {
         push(l, frame(changed(h, [](FrameHeader& f) { f.type = FrameType::chunk; }), 40));
       }},
      {"a second hello", 4,
       [](Link& l, const Bytes&) {
         push(l, frame({40, FrameType::hello, 0, 0}, 40));
       }},
      {"oversized control", 4,
       [](Link& l, const Bytes&) {
         push(l, frame({1 << 20, FrameType::waiting, 0, 0}, 100));
       }},
      {"malformed failure", 4,
       [](Link& l, const Bytes&) {
         push(l, frame({1, FrameType::failed, 0, 0}, 1));
       }},
      {"finish too early", 4,
       [](Link& l, const Bytes&) {
         push(l, frame({0, FrameType::finish, 0, 0}, 0));
       }},
      {"truncated", 3,
       [](Link& l, const Bytes& h) {
         push(l, Bytes(h.begin(), h.end() - 3));
         l.end_writing();
       }},
      {"half close", 3, [](Link& l, const Bytes&) { l.end_writing(); }},
  };
  return all;
}

TEST(HostilePeer, EveryHonestRoleEndsWithTheSameTypedError) {
  for (const Attack& attack : attacks()) {
    const auto outcomes = party_0_does(attack.act);
    for (const NodeId role : {NodeId{1}, NodeId{2}, dealer_id}) {
      EXPECT_EQ(outcomes.at(role).code, attack.code)
          << attack.name << ", " << int{role} << ": " << outcomes.at(role).message;
      EXPECT_NE(outcomes.at(role).message.find("party 0"), std::string::npos)
          << attack.name << ": " << outcomes.at(role).message;
    }
  }
}

// The dealer's stream is checked as strictly: session and epoch, number, and its end.
TEST(HostileDealer, EveryHonestRoleEndsWithTheSameTypedError) {
  // Of one frame each; the digest is changed, or that of the run.
  struct Act {
    FrameHeader header;
    bool of_the_run;
  };
  const std::vector<Act> acts = {
      {{40, FrameType::chunk, 0, 1}, false},
      {{40, FrameType::chunk, 1, 0}, true},
      {{40, FrameType::round, 0, 0}, true},
      {{0, FrameType::finish, 0, 0}, false},
  };
  for (std::size_t i = 0; i < acts.size(); ++i) {
    const auto outcomes = run_roles(tcp_configs(Topology(2)), [&](NodeId role, MeshConfig config) {
      Mesh mesh = set_up_mesh(std::move(config));
      if (role != dealer_id) {
        run_chatter(mesh, Chatter{50, 5, 40});
        return;
      }
      FrameHeader header = acts[i].header;
      if (acts[i].of_the_run) header.digest = epoch_digest(mesh.session(), 0);
      push(mesh.link(1), frame(header, header.length));
      wait_until_closed(mesh.link(1));
      for (const auto& link : mesh.links()) link->close();
    });
    for (const NodeId role : {NodeId{0}, NodeId{1}, NodeId{2}}) {
      EXPECT_EQ(outcomes.at(role).code, 4) << i << ": " << outcomes.at(role).message;
      EXPECT_NE(outcomes.at(role).message.find("the dealer"), std::string::npos);
    }
  }
}

// What a peer says last may go to a terminal.
TEST(Failure, TextIsMadePrintableAndCut) {
  const Failure failure{ExitCode::usage, 1, 2, 3, "a\x1b[2Jb\n" + std::string(5000, 'x')};
  const auto back = decode_failure(encode(failure), 3);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->text.substr(0, 7), "a?[2Jb?");
  EXPECT_LE(encode(failure).size(), longest_control);
  EXPECT_EQ(back->culprit, 1);
  EXPECT_EQ(back->reporter, 2);
  const std::vector<std::byte> no_such_code{std::byte{99}, std::byte{0}, std::byte{0}};
  EXPECT_FALSE(decode_failure(no_such_code, 0));
}

}  // namespace
}  // namespace sotto::net::testing
