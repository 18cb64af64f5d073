#include "net/mesh/handshake/authenticated_peers.h"
#include "net/mesh/handshake/inquiry.h"
#include "net/star/message.h"
#include "protocols/preprocessing/recorded/material.h"
#include "sotto/protocol/mesh/peers.h"
#include "sotto/protocol/wire/frame.h"
#include "tests/fuzz/seeds.h"

namespace sotto::fuzz {
namespace {

namespace fs = std::filesystem;

Bytes frame(FrameType type, const Bytes& payload) {
  Bytes out(FrameHeader::size);
  write_header({static_cast<std::uint32_t>(payload.size()), type, 0, 0}, std::span(out).first<FrameHeader::size>());
  append(out, payload);
  return out;
}

net::Hello hello_of(NodeId sender, const Topology& topology) {
  net::Hello hello{.sender = sender,
                   .parties = static_cast<std::uint8_t>(topology.parties()),
                   .nonce = net::insecure_nonce(7, sender),
                   .parameters = "steps = 5\n",
                   .announcement = {}};
  if (topology.is_party(sender)) hello.announcement = "columns = 1";
  return hello;
}

void write_hello_seeds(const fs::path& folder) {
  net::Hello hello;
  hello.sender = 1;
  hello.parties = 2;
  hello.session.fill(std::byte{7});
  hello.nonce.fill(std::byte{8});
  hello.parameters = "program = epsilon-greedy bandit 5\nsteps = 10\nepsilon = 0.1\n";
  hello.announcement = "columns = 4\n";
  const Bytes plain = encode(hello);
  write(folder / "hello", plain);
  const auto changed = [](Bytes bytes, std::size_t at, int value) {
    bytes.at(at) = static_cast<std::byte>(value);
    return bytes;
  };
  constexpr std::size_t state = 8 + 4 + 4 + 16 + 16;
  constexpr std::size_t digest = state + 8;
  write(folder / "other_version", changed(plain, 8, 9));
  write(folder / "wrong_digest", changed(plain, digest, std::to_integer<int>(plain[digest]) ^ 1));
  write(folder / "long_claim", changed(plain, digest + 32 + 3, 0x7f));

  net::Hello resumed = hello;
  resumed.resume_state.assign(60, std::byte{3});
  write(folder / "hello_resumed", encode(resumed));
  write(folder / "long_resume_state", changed(encode(resumed), state + 1, 3));
  resumed.sender = net::dealer_id;
  resumed.announcement.clear();
  resumed.resume_state.clear();
  write(folder / "hello_of_dealer", encode(resumed));

  hello.sender = 3;
  hello.further_node = true;
  hello.announcement.clear();
  write(folder / "hello_separate_rewarder", encode(hello));
}

net::Confirm confirm_of(const Topology& topology, bool with_opening) {
  std::map<NodeId, net::Nonce> nonces;
  for (const NodeId role : {net::dealer_id, NodeId{0}, NodeId{1}}) nonces[role] = net::insecure_nonce(7, role);
  net::Confirm confirm;
  confirm.parameters = net::sha256("steps = 5\n");
  confirm.session = net::fresh_session(topology, net::SessionId{}, nonces);
  confirm.announcements.assign(topology.parties(), net::sha256("columns = 1"));
  if (with_opening) confirm.resume_point.emplace();
  return confirm;
}

Bytes set_up(NodeId self, const Topology& topology) {
  Bytes input{std::byte{self == topology.outside_node()}};
  for (const NodeId peer : net::peers_of(topology, self)) {
    Bytes says = frame(FrameType::hello, encode(hello_of(peer, topology)));
    append(says, frame(FrameType::confirm, encode(confirm_of(topology, net::makes_the_session(topology, peer)))));
    input.push_back(static_cast<std::byte>(says.size()));
    input.push_back(static_cast<std::byte>(says.size() >> 8));
    append(input, says);
  }
  return input;
}

Bytes bytes_of(const net::Message& message) {
  const net::MessageHead head = net::head_of(message);
  Bytes out(head.begin(), head.end());
  append(out, message.payload);
  return out;
}

void write_service_seeds(const fs::path& folder) {
  const net::Greeting greeting{net::service_version, "p2b shuffler"};
  Bytes conversation{std::byte{0x80}};
  append(conversation, bytes_of(encode(greeting)));
  append(conversation, bytes_of({1, Bytes(300, std::byte{7})}));
  append(conversation, bytes_of({2, {}}));
  append(conversation, bytes_of(encode(net::CloseReason{ExitCode::not_trusted, "go away"})));
  write(folder / "conversation", conversation);
  conversation.front() = std::byte{0x83};  // the target reads the input in pieces of 3 bytes
  write(folder / "in_pieces", conversation);
  conversation.front() = std::byte{0};
  write(folder / "before_the_greeting", conversation);
  conversation.resize(200);
  write(folder / "cut", conversation);
  Bytes other_version{std::byte{0}};
  append(other_version, bytes_of(encode(net::Greeting{net::service_version + 1, "p2b server"})));
  write(folder / "other_version", other_version);
  Bytes claim{std::byte{0x80}};
  append(claim, bytes_of({1, Bytes(10)}));
  claim[3] = std::byte{0x0f};  // claims 3850 bytes
  write(folder / "claim", claim);
  claim[3] = std::byte{0xff};
  write(folder / "too_long", claim);
  claim[7] = std::byte{1};  // sets a byte that must be zero
  write(folder / "no_message", claim);
}

}  // namespace

void write_net_seeds(const fs::path& corpus) {
  protocols::RecordedMaterial material;
  material.masks.push_back({2, 64, {1, 2}, {3, 4}});
  material.inputs.push_back({{1, 64, {5}, {}}, {6}});
  material.truncation_groups.push_back({{1, 45, {7}, {}}, {1, 64, {8}, {9}}, {1, 20, {10}, {11}}});
  material.truncations.push_back({0, 0, 1});
  material.tables.push_back(protocols::TableShares{64, {12, 13, 14, 15}});
  write(corpus / "material/some_of_each", encode(material));
  write(corpus / "material/none", encode(protocols::RecordedMaterial{}));

  const Topology topology(2);
  write(corpus / "set_up/party", set_up(0, topology));
  write(corpus / "set_up/actor", set_up(topology.outside_node(), topology));
  Bytes short_one = set_up(0, topology);
  short_one.resize(short_one.size() / 2);
  write(corpus / "set_up/cut", short_one);

  write_hello_seeds(corpus / "handshake");
  net::Confirm resumed = confirm_of(topology, true);
  resumed.resume_point = net::ResumeBytes(60, std::byte{4});
  write(corpus / "agreement/confirm_of_party", encode(resumed));
  write(corpus / "agreement/confirm_of_actor", encode(confirm_of(topology, false)));
  net::Probe probe;
  probe.clock = std::chrono::seconds(1'700'000'000);
  probe.software = "0.1.0";
  probe.parameters = "steps = 5\n";
  write(corpus / "agreement/question", encode(probe));
  probe.what = net::Probe::What::role;
  probe.sender = 1;
  probe.announcement = "rows = 30\ncolumns = 2\nbound = 1\n";
  write(corpus / "agreement/answer", encode(probe));

  write_service_seeds(corpus / "service");
}

}  // namespace sotto::fuzz
