// fuzz_seeds CORPUS: writes the seeds that are made by the encoders, as they are now, into the
// folders of a corpus. To be run again when a wire version or a row changes.
#include <fstream>

#include "apps/p2b/model.h"
#include "apps/p2b/roles/messages.h"
#include "apps/robin/roles/messages.h"
#include "apps/robin/roles/terms.h"
#include "apps/state/rows.h"
#include "core/wire/frame.h"
#include "net/handshake/confirm.h"
#include "net/handshake/probe.h"
#include "net/peers.h"
#include "net/service/greeting.h"
#include "tests/fuzz/target.h"

namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::byte>;
using namespace sotto;

void write(const fs::path& file, const Bytes& bytes) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

void append(Bytes& to, const Bytes& bytes) { to.insert(to.end(), bytes.begin(), bytes.end()); }

Bytes frame(FrameType type, const Bytes& payload) {
  Bytes out(FrameHeader::size);
  write_header({static_cast<std::uint32_t>(payload.size()), type, 0, 0},
               std::span(out).first<FrameHeader::size>());
  append(out, payload);
  return out;
}

net::Hello hello_of(NodeId sender, const Topology& topology) {
  net::Hello hello;
  hello.sender = sender;
  hello.parties = static_cast<std::uint8_t>(topology.parties());
  hello.nonce = net::insecure_nonce(7, sender);
  hello.parameters = "steps = 5\n";
  if (topology.is_party(sender)) hello.announcement = "columns = 1";
  return hello;
}

net::Confirm confirm_of(const Topology& topology, bool with_opening) {
  std::map<NodeId, net::Nonce> nonces;
  for (const NodeId role : {net::dealer_id, NodeId{0}, NodeId{1}}) {
    nonces[role] = net::insecure_nonce(7, role);
  }
  net::Confirm confirm;
  confirm.parameters = net::sha256("steps = 5\n");
  confirm.session = net::fresh_session(topology, net::SessionId{}, nonces);
  confirm.announcements.assign(topology.parties(), net::sha256("columns = 1"));
  if (with_opening) confirm.opening = net::Opening{};
  return confirm;
}

// All that the peers of `self` say, as the target set_up takes it.
Bytes set_up(NodeId self, const Topology& topology) {
  Bytes input{std::byte{self == topology.actor()}};
  for (const NodeId peer : net::peers_of(topology, self)) {
    Bytes says = frame(FrameType::hello, encode(hello_of(peer, topology)));
    append(says, frame(FrameType::confirm,
                       encode(confirm_of(topology, net::makes_the_session(topology, peer)))));
    input.push_back(static_cast<std::byte>(says.size()));
    input.push_back(static_cast<std::byte>(says.size() >> 8));
    append(input, says);
  }
  return input;
}

// Of the target robin_messages: the decoder's number first.
void write_robin(const fs::path& corpus, const std::string& name, unsigned decoder,
                 const Bytes& payload) {
  Bytes input{static_cast<std::byte>(decoder)};
  append(input, payload);
  write(corpus / "robin_messages" / name, input);
}

void write_robin_seeds(const fs::path& corpus) {
  write_robin(corpus, "join_of_many", 0, encode(apps::RobinJoin{2, 3}));
  write_robin(corpus, "join_with_data", 0, encode(apps::RobinJoin{1, 1, 2, 2, 14, 5}));
  apps::RobinTerms terms;
  terms.settings.lambda_min = 0.2;
  terms.settings = apps::checked(terms.settings);
  write_robin(corpus, "settings", 1, encode(terms));
  write_robin(corpus, "play_first", 2, encode(apps::RobinPlay{0, {}}));
  write_robin(corpus, "play", 2, encode(apps::RobinPlay{1, {0.5, -0.25}}));
  write_robin(corpus, "estimates", 3, encode(apps::RobinEstimates{0, {0.5, -0.25}}));
  write_robin(corpus, "finished", 4, encode(apps::RobinFinished{6, 0.99}));
  write_robin(corpus, "failed", 5,
              encode(apps::RobinFailed{ExitCode::peer_lost, "client 3 was lost"}));
}

void write_p2b_seeds(const fs::path& folder) {
  apps::P2bTerms terms;
  terms.codes = 16;
  terms.arms = 3;
  write(folder / "terms", encode(terms));
  const std::vector<apps::Report> reports{{apps::user_token("1"), 7, {3, 2, 1}},
                                          {apps::user_token("2"), 8, {15, 0, 0.5}}};
  const Bytes of_reports = apps::encode_reports(4, reports);
  write(folder / "reports", of_reports);
  write(folder / "reports_cut", Bytes(of_reports.begin(), of_reports.end() - 1));
  write(folder / "no_reports", apps::encode_reports(5, {}));
  write(folder / "receipt", encode(apps::Receipt{4, 2, 1}));
  const apps::PartName name{{}, 2, 1};
  write(folder / "part", encode(apps::SurvivorPart{name, 3, {{3, 2, 1}, {3, 1, 0}}}));
  write(folder / "part_beyond_its_parts", encode(apps::SurvivorPart{name, 1, {{3, 2, 1}}}));
  write(folder / "taken", encode(name));
  write(folder / "model", apps::encode_model(terms, Bytes(40, std::byte{1})));
}

Bytes bytes_of(const net::Message& message) {
  const net::MessageHead head = net::head_of(message);
  Bytes out(head.begin(), head.end());
  append(out, message.payload);
  return out;
}

// As the target service takes them.
void write_service_seeds(const fs::path& folder) {
  const net::Greeting greeting{net::service_version, "p2b shuffler"};
  Bytes conversation{std::byte{0x80}};
  append(conversation, bytes_of(encode(greeting)));
  append(conversation, bytes_of({1, Bytes(300, std::byte{7})}));
  append(conversation, bytes_of({2, {}}));
  append(conversation, bytes_of(encode(net::LastWord{ExitCode::not_trusted, "go away"})));
  write(folder / "conversation", conversation);
  conversation.front() = std::byte{0x83};  // in pieces of 3 bytes
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
  claim[3] = std::byte{0x0f};  // 3850 bytes
  write(folder / "claim", claim);
  claim[3] = std::byte{0xff};
  write(folder / "too_long", claim);
  claim[7] = std::byte{1};  // where zero stands
  write(folder / "no_message", claim);
}

// As the target p2b_model takes them.
void write_p2b_model_seeds(const fs::path& folder) {
  const apps::Encoder encoder({2, 1, 4, apps::EncoderKind::kmeans, 1},
                              {0.0, 1.0, 0.3, 0.7, 0.6, 0.4, 1.0, 0.0});
  const auto seed = [](const apps::Model& model, bool with_encoder) {
    Bytes input{std::byte{with_encoder}};
    append(input, model.to_bytes());
    return input;
  };
  apps::Model one_hot(4, 3);
  write(folder / "empty", seed(one_hot, false));
  for (const apps::Tuple& tuple : {apps::Tuple{0, 1, 1.0}, {0, 2, 0.5}, {3, 0, 0.0}}) {
    one_hot.update(tuple);
  }
  write(folder / "one_hot", seed(one_hot, false));
  apps::Model centroids(apps::ContextKind::centroid, encoder, 3);
  centroids.update(apps::Tuple{2, 2, 0.75});
  write(folder / "centroids", seed(centroids, true));
  Bytes cut = seed(centroids, true);
  cut.pop_back();
  write(folder / "cut", cut);
  write(folder / "other_arms", seed(apps::Model(4, 100'000), true));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const fs::path corpus = argv[1];
  const Topology topology(2);
  write(corpus / "set_up/party", set_up(0, topology));
  write(corpus / "set_up/actor", set_up(topology.actor(), topology));
  Bytes short_one = set_up(0, topology);
  short_one.resize(short_one.size() / 2);
  write(corpus / "set_up/cut", short_one);

  write(corpus / "agreement/confirm_of_party", encode(confirm_of(topology, true)));
  write(corpus / "agreement/confirm_of_actor", encode(confirm_of(topology, false)));
  net::Probe probe;
  probe.clock = std::chrono::seconds(1'700'000'000);
  probe.software = "0.1.0";
  probe.parameters = "steps = 5\n";
  write(corpus / "agreement/question", encode(probe));
  probe.what = net::Probe::What::role;
  probe.sender = net::dealer_id;
  write(corpus / "agreement/answer", encode(probe));

  write_service_seeds(corpus / "service");
  write_p2b_model_seeds(corpus / "p2b_model");

  apps::Checkpoint checkpoint;
  checkpoint.steps = 20;
  checkpoint.epoch = 2;
  checkpoint.progress = {25, 30};
  write(corpus / "store/checkpoint_of_dealer", encode(checkpoint));
  checkpoint.inverses = {1, 2, 3};
  checkpoint.targets = {4, 5};
  write(corpus / "store/checkpoint_of_party", encode(checkpoint));
  checkpoint.inverses = checkpoint.targets = {};
  apps::RewardCurve curve(40);
  for (int i = 0; i < 20; ++i) curve.add(i % 2);
  checkpoint.curve = curve.state();
  write(corpus / "store/checkpoint_of_rewarder", encode(checkpoint));
  write(corpus / "store/epoch", encode(apps::OpenedEpoch{3, 20, {25, 30}, {}}));
  write(corpus / "store/arms", encode(apps::PulledArms{20, {1, 0, 3}}));
  write_robin_seeds(corpus);
  write_p2b_seeds(corpus / "p2b_messages");
  return 0;
}
