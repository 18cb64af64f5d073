#include "net/mesh/handshake/abort.h"
#include "sotto/protocol/mesh/driver/run.h"
#include "tests/net/roles.h"

namespace sotto::net::testing {
namespace {

using Bytes = std::vector<std::byte>;

Bytes frame(FrameHeader header, std::size_t bytes_that_follow) {
  Bytes bytes(FrameHeader::size + bytes_that_follow, std::byte{1});
  write_header(header, std::span(bytes).first<FrameHeader::size>());
  return bytes;
}

void push(Link& link, const Bytes& bytes) {
  link.send({}, bytes);
  while (!link.flush()) {
    wait_any(std::array{link.wait_for(false)}, std::chrono::seconds(1));
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
    wait_any(std::array{link.wait_for(true)}, std::chrono::seconds(1));
  }
}

std::map<NodeId, Outcome> others_when_sent(const Bytes& frame, NodeId culprit) {
  auto outcomes = run_roles(tcp_configs(Topology(2)), [&](NodeId role, MeshConfig config) {
    Mesh mesh = set_up_mesh(std::move(config));
    if (role != culprit) {
      run_chatter(mesh, Chatter{50, 5, 40});
      return;
    }
    for (const NodeId peer : {NodeId{1}, NodeId{2}}) {
      if (culprit == dealer_id) continue;
      mesh.link(peer).post(FrameType::ready, 0, {});
      mesh.link(peer).flush();
    }
    push(mesh.link(1), frame);
    wait_until_closed(mesh.link(1));
    for (const auto& link : mesh.links()) link->close();
  });
  outcomes.erase(culprit);
  return outcomes;
}

// Sends control frames that are not allowed, or not allowed yet. tests/faults/frames_test.cc sends faulty frames of
// rounds and chunks.
TEST(HostilePeer, EveryHonestRoleEndsWithTheSameTypedError) {
  const Bytes finish = frame({0, FrameType::finish, 0, 0}, 0);
  for (const Bytes& sent :
       {frame({1 << 20, FrameType::waiting, 0, 0}, 100), frame({1, FrameType::failed, 0, 0}, 1), finish}) {
    expect_all(others_when_sent(sent, 0), 4, "party 0");
  }
  expect_all(others_when_sent(finish, dealer_id), 4, "the dealer");
  expect_all(others_when_sent(frame({40, FrameType::round, 0, 0}, 40), dealer_id), 4, "the dealer");
}

// The text of a peer's failure may be shown on a terminal, so it is made printable.
TEST(Failure, TextIsMadeSafeForATerminalAndCut) {
  const Failure failure{ExitCode::usage, 1, 2, 3, "größe\x1b[2Jb\n" + std::string(5000, 'x')};
  const auto back = decode_failure(encode(failure), 3);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->text.rfind("größe\\x1b[2Jb\\nx", 0), 0u) << back->text;
  EXPECT_EQ(back->text.size(), longest_failure);
  EXPECT_LE(encode(failure).size(), longest_control);
  EXPECT_EQ(back->culprit, 1);
  EXPECT_EQ(back->reporter, 2);
  const std::vector<std::byte> no_such_code{std::byte{99}, std::byte{0}, std::byte{0}};
  EXPECT_FALSE(decode_failure(no_such_code, 0));
}

}  // namespace
}  // namespace sotto::net::testing
