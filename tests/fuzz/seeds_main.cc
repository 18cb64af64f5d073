// fuzz_seeds CORPUS: writes the seeds that are made by the encoders, as they are now, into the
// folders of a corpus. To be run again when a wire version or a row changes.
#include <fstream>

#include "sotto/apps/bandit/state/rows.h"
#include "sotto/apps/p2b/model.h"
#include "sotto/apps/p2b/roles/messages.h"
#include "sotto/apps/robin/roles/messages.h"
#include "sotto/apps/robin/roles/terms.h"
#include "sotto/core/wire/frame.h"
#include "sotto/net/handshake/confirm.h"
#include "sotto/net/handshake/probe.h"
#include "sotto/net/peers.h"
#include "sotto/net/service/greeting.h"
#include "sotto/net/tls/identity.h"
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

// As the target handshake takes them: hellos, and some that are none.
void write_hello_seeds(const fs::path& folder) {
  net::Hello hello;
  hello.sender = 1;
  hello.parties = 2;
  hello.session.fill(std::byte{7});
  hello.nonce.fill(std::byte{8});
  hello.parameters = "program = epsilon-greedy bandit 2\nsteps = 10\nepsilon = 0.1\n";
  hello.announcement = "columns = 4\n";
  const Bytes plain = encode(hello);
  write(folder / "hello", plain);
  const auto changed = [](Bytes bytes, std::size_t at, int value) {
    bytes.at(at) = static_cast<std::byte>(value);
    return bytes;
  };
  constexpr std::size_t standing = 8 + 4 + 4 + 16 + 16;
  constexpr std::size_t digest = standing + 24 + 2 * (8 + 32);
  write(folder / "other_version", changed(plain, 8, 9));
  write(folder / "wrong_digest", changed(plain, digest, std::to_integer<int>(plain[digest]) ^ 1));
  write(folder / "long_claim", changed(plain, digest + 32 + 3, 0x7f));

  net::Hello resumed = hello;
  resumed.standing = {true, false, 3, {{100, net::sha256("100")}, {200, net::sha256("200")}},
                      217,  301};
  write(folder / "hello_resumed", encode(resumed));
  write(folder / "three_checkpoints", changed(encode(resumed), standing + 1, 3));
  resumed.sender = net::dealer_id;
  resumed.announcement.clear();
  resumed.standing = {false, true, 3, {}, 219, 305};
  write(folder / "hello_of_dealer", encode(resumed));

  hello.sender = 3;
  hello.separate_rewarder = true;
  hello.announcement.clear();
  write(folder / "hello_separate_rewarder", encode(hello));
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

// Of the target stored_rows: the table, the number and the length first.
Bytes stored_row(unsigned table, unsigned number, const Bytes& row) {
  Bytes out{static_cast<std::byte>(table)};
  for (const std::size_t word : {std::size_t{number}, row.size()}) {
    out.push_back(static_cast<std::byte>(word));
    out.push_back(static_cast<std::byte>(word >> 8));
  }
  append(out, row);
  return out;
}

void write_stored_rows_seeds(const fs::path& folder) {
  Bytes rows = stored_row(0, 3, encode(apps::OpenedEpoch{3, 20, {25, 30}, {}}));
  apps::Checkpoint checkpoint;
  checkpoint.steps = 20;
  checkpoint.epoch = 3;
  checkpoint.progress = {25, 30};
  checkpoint.inverses = {1, 2, 3};
  checkpoint.targets = {4, 5};
  append(rows, stored_row(1, 20, encode(checkpoint)));
  append(rows, stored_row(2, 0, encode(apps::PulledArms{0, {1, 0, 3}})));
  write(folder / "goes_on", rows);
  append(rows, stored_row(3, 0, {}));
  write(folder / "complete", rows);
  write(folder / "other_number", stored_row(1, 30, encode(checkpoint)));
  checkpoint.progress = {~std::uint64_t{0}, 1};
  write(folder / "beyond_the_run", stored_row(1, 20, encode(checkpoint)));
  write(folder / "epoch_without_end",
        stored_row(0, 3, encode(apps::OpenedEpoch{3, ~std::uint64_t{0}, {25, 30}, {}})));
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

  write_hello_seeds(corpus / "handshake");
  net::Confirm resumed = confirm_of(topology, true);
  resumed.opening = net::Opening{4, 200, 17, 301, net::sha256("200")};
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
  write_p2b_model_seeds(corpus / "p2b_model");

  apps::Checkpoint checkpoint;
  checkpoint.steps = 20;
  checkpoint.epoch = 2;
  checkpoint.progress = {25, 30};
  write(corpus / "store/checkpoint_of_dealer", encode(checkpoint));
  checkpoint.id = net::sha256("20");
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
  write_stored_rows_seeds(corpus / "stored_rows");
  const net::Identity identity = net::Identity::create("party_0");
  for (const char* name : {"key", "certificate"}) fs::remove(corpus / "keys" / name);
  identity.write(corpus / "keys/key");
  identity.write_certificate(corpus / "keys/certificate");
  write_robin_seeds(corpus);
  write_p2b_seeds(corpus / "p2b_messages");
  return 0;
}
