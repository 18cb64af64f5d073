#include "net/mesh/handshake/inquiry.h"

#include <latch>

#include "tests/net/hostile.h"
#include "tests/net/roles.h"
#include "tests/properties.h"

namespace sotto::net::testing {
namespace {

Probe example() {
  Probe probe;
  probe.sender = 1;
  probe.what = Probe::What::role;
  probe.clock = std::chrono::microseconds(1'700'000'000'123'456);
  probe.software = "0.4.0";
  probe.parameters = "program = epsilon-greedy bandit 1\nsteps = 10\n";
  probe.announcement = "rows = 30\ncolumns = 2\nbound = 1\n";
  return probe;
}

TEST(Probe, SurvivesTheWire) {
  EXPECT_EQ(decode_probe(encode(example())), example());
  Probe early = example();
  early.clock = std::chrono::microseconds(-5);
  EXPECT_EQ(decode_probe(encode(early)), early);
}

TEST(Probe, EveryTruncationIsRefused) {
  std::vector<std::byte> whole = encode(example());
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_FALSE(decode_probe(std::span(whole).first(length))) << length;
  }
  whole.push_back(std::byte{0});
  EXPECT_FALSE(decode_probe(whole));
}

TEST(Probe, WhatIsNoneIsRefused) {
  const std::vector<std::byte> whole = encode(example());
  const auto refused = [&](std::size_t at, unsigned value) {
    std::vector<std::byte> bytes = whole;
    bytes[at] = static_cast<std::byte>(value);
    return !decode_probe(bytes);
  };
  EXPECT_TRUE(refused(0, 'x'));
  EXPECT_TRUE(refused(13, 3));
  EXPECT_TRUE(refused(14, 1));
  EXPECT_TRUE(refused(24, 0xff));
  EXPECT_TRUE(refused(27, 0x7f));
  Probe long_one = example();
  long_one.software.assign(longest_version + 1, 'x');
  EXPECT_THROW((void)encode(long_one), InputError);
}

TEST(Probe, OfAnotherVersionOnlyTheVersionIsRead) {
  std::vector<std::byte> bytes = encode(example());
  bytes[8] = std::byte{9};
  bytes.resize(12);
  ASSERT_TRUE(decode_probe(bytes));
  EXPECT_EQ(decode_probe(bytes)->version, 9u);
}

PROPERTY(ProbeProperties, AnyBytesAreHandled) {
  std::vector<std::byte> bytes = encode(example());
  const auto changes = draw_in_range(1, 8);
  for (int i = 0; i < changes; ++i) {
    bytes[draw_in_range<std::size_t>(0, bytes.size())] = static_cast<std::byte>(draw_in_range(0, 256));
  }
  const auto probe = decode_probe(bytes);
  if (probe && probe->version == wire_version) HOLDS(encode(*probe) == bytes);
}

void settle(Io& io, Inquiry& inquiry, const std::function<bool()>& enough) {
  while (!enough()) {
    inquiry.make_progress();
    io.run_for(std::chrono::milliseconds(100));
  }
}

Probe question(NodeId sender) {
  Probe probe;
  probe.sender = sender;
  probe.software = "test";
  probe.parameters = parameters;
  return probe;
}

TEST(Inquiry, ARoleInSetUpAnswersAndGoesOn) {
  auto configs = tcp_configs(Topology(2));
  MeshConfig asking = std::move(configs.at(2));
  MeshConfig doctors{Topology(2), 2, session_of(1), parameters, ""};
  doctors.addresses = asking.addresses;
  configs.erase(2);
  for (auto& [role, config] : configs) config.software = "9.9";
  std::latch all_set_up(4);
  std::jthread doctor([&] {
    for (int round = 0; round < 2; ++round) {
      for (const NodeId peer : {NodeId{0}, NodeId{1}, dealer_id}) {
        Io io;
        Inquiry inquiry(io, doctors, peer, question(2));
        settle(io, inquiry, [&] { return inquiry.done(); });
        EXPECT_EQ(inquiry.state(), Inquiry::State::answered) << inquiry.trouble();
        EXPECT_EQ(inquiry.answer().sender, peer);
        EXPECT_EQ(inquiry.answer().what, Probe::What::role);
        EXPECT_EQ(inquiry.answer().software, "9.9");
        EXPECT_EQ(inquiry.answer().parameters, parameters);
        EXPECT_LE(std::chrono::abs(inquiry.ahead()), inquiry.uncertainty());
      }
    }
    const Mesh mesh = set_up_mesh(std::move(asking));
    all_set_up.arrive_and_wait();
  });
  const auto outcomes = run_roles(std::move(configs), [&](NodeId, MeshConfig config) {
    const Mesh mesh = set_up_mesh(std::move(config));
    all_set_up.arrive_and_wait();
  });
  expect_all(outcomes, 0);
}

TEST(Inquiry, WhoIsNotThereIsTriedAgain) {
  std::optional<TcpListener> listener(Address{"127.0.0.1", 0});
  MeshConfig config{Topology(2), 2, session_of(1), parameters, ""};
  config.addresses[0] = listener->address();
  listener.reset();
  Io io;
  Inquiry inquiry(io, config, 0, question(2));
  settle(io, inquiry, [&] { return !inquiry.trouble().empty(); });
  EXPECT_EQ(inquiry.state(), Inquiry::State::unreachable);
  EXPECT_FALSE(inquiry.reached());
  listener.emplace(config.addresses.at(0));
  settle(io, inquiry, [&] { return inquiry.reached(); });
  EXPECT_EQ(inquiry.state(), Inquiry::State::silent);
  EXPECT_FALSE(inquiry.done());
}

TEST(Inquiry, AnotherProgramIsToldApart) {
  Io io;
  TcpListener listener(Address{"127.0.0.1", 0});
  MeshConfig config{Topology(2), 2, session_of(1), parameters, ""};
  config.addresses[0] = listener.address();
  for (const std::string& greeting :
       {std::string("220 mail.example ESMTP, at your service\r\n"), std::string(100, '\0')}) {
    Inquiry inquiry(io, config, 0, question(2));
    std::unique_ptr<ByteStream> server;
    listener.accept_on(io, [&](std::optional<TcpListener::Accepted> accepted, const std::string&) {
      server = std::move(accepted->stream);
      EXPECT_EQ(server->write_some(std::as_bytes(std::span(greeting)), {}).bytes, greeting.size());
    });
    settle(io, inquiry, [&] { return inquiry.done(); });
    EXPECT_EQ(inquiry.state(), Inquiry::State::no_sotto) << inquiry.trouble();
  }
}

// If roles have certificates, only roles of the run get an answer.
TEST(Inquiry, AStrangerIsNotAnswered) {
  auto configs = tcp_configs(Topology(2));
  MeshConfig party = std::move(configs.at(0));
  const Address address = party.listener->address();
  party.certificates = {{0, shown('0')}, {1, shown('1')}, {2, shown('2')}, {dealer_id, shown('d')}};
  std::atomic<bool> interrupted{false};
  party.interrupted = &interrupted;
  party.wrap = [](std::unique_ptr<ByteStream> stream, bool, std::optional<NodeId>) {
    return std::make_unique<ShownStream>(std::move(stream), '0');
  };
  std::jthread role([&] { EXPECT_THROW((void)set_up_mesh(std::move(party)), Error); });
  MeshConfig asking{Topology(2), 2, session_of(1), parameters, ""};
  asking.addresses[0] = address;
  for (const char mine : {'2', 'x'}) {
    asking.wrap = [mine](std::unique_ptr<ByteStream> stream, bool, std::optional<NodeId>) {
      return std::make_unique<ShownStream>(std::move(stream), mine);
    };
    Io io;
    Inquiry inquiry(io, asking, 0, question(2));
    if (mine == '2') {
      settle(io, inquiry, [&] { return inquiry.done(); });
      EXPECT_EQ(inquiry.state(), Inquiry::State::answered);
      EXPECT_EQ(inquiry.fingerprint(), shown('0'));
    } else {
      settle(io, inquiry,
             [&] { return inquiry.reached() && inquiry.trouble().find("says nothing") == std::string::npos; });
      EXPECT_EQ(inquiry.state(), Inquiry::State::silent);
    }
  }
  interrupted = true;
}

TEST(Inquiry, QuestionsAreCounted) {
  auto configs = tcp_configs(Topology(2));
  MeshConfig party = std::move(configs.at(0));
  const Address address = party.listener->address();
  std::atomic<bool> interrupted{false};
  party.interrupted = &interrupted;
  std::jthread role([&] { EXPECT_THROW((void)set_up_mesh(std::move(party)), Error); });
  Hostile doctor(address);
  const std::vector<std::byte> payload = encode(question(2));
  int answers = 0;
  for (;;) {
    doctor.say({static_cast<std::uint32_t>(payload.size()), FrameType::probe, 0, 0}, payload);
    FrameHeader header;
    if (doctor.receive(header).empty()) break;
    ASSERT_LT(++answers, 100);
  }
  EXPECT_EQ(answers, 8);
  for (const std::uint32_t length : {std::uint32_t{0}, std::uint32_t{longest_probe + 1}}) {
    Hostile other(address);
    other.say({length, FrameType::probe, 0, 0});
    FrameHeader header;
    EXPECT_TRUE(other.receive(header).empty()) << length;
  }
  interrupted = true;
}

}  // namespace
}  // namespace sotto::net::testing
