// The roles of a ROBIN run, started one by one as companies do: whom they trust, what they tell each other, and what
// happens where a client is not what it says.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>

#include "sotto/apps/robin/roles/aggregator_role.h"
#include "sotto/apps/robin/roles/messages.h"
#include "sotto/core/error/errors.h"
#include "sotto/core/wire/label.h"
#include "sotto/net/star/client.h"
#include "tests/process/ports.h"
#include "tests/process/sotto_process.h"

namespace sotto::testing {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

// A cell that no role but its owner may show.
constexpr const char* secret = "0.3817263";

std::string log_of(unsigned client, std::size_t steps, const std::string& features = "a,b") {
  std::mt19937 random(client);
  std::uniform_real_distribution<double> feature(-0.7, 0.7);
  std::string text = "t,arm," + features + ",reward\n";
  for (std::size_t t = 0; t < steps; ++t) {
    for (int arm = 0; arm < 3; ++arm) {
      text += std::to_string(t) + "," + std::to_string(arm);
      double mean = 0;
      for (std::size_t i = 0; i < 1 + features.size() / 2; ++i) {
        const double value = feature(random);
        mean += value * (i == 0 ? 0.6 : -0.8);
        text += "," + std::to_string(value);
      }
      text += "," + (t == 0 ? std::string(secret) : std::to_string(mean)) + "\n";
    }
  }
  return text;
}

// A run of some clients with files, and keys for all.
class Companies {
 public:
  explicit Companies(std::size_t clients) : clients_(clients), address_(Ports::take()) {
    identities_.push_back(key("aggregator"));
    for (std::size_t i = 0; i < clients; ++i) {
      identities_.push_back(key("client" + std::to_string(i)));
      (void)folder.write("c" + std::to_string(i) + ".csv", log_of(static_cast<unsigned>(i), 126));
    }
  }

  [[nodiscard]] Words aggregator(const Words& more = {}) const {
    Words words{"robin",         "aggregator",
                "--listen",      address_,
                "--key",         "aggregator.pem",
                "--clients",     std::to_string(clients_),
                "--dim",         "2",
                "--arms",        "3",
                "--horizon",     "126",
                "--eps",         "5000",
                "--noise-sd",    "0.1",
                "--init-phases", "4",
                "--report",      "aggregator.json"};
    for (std::size_t i = 0; i < clients_; ++i) append(words, {"--trust", fingerprint(i + 1)});
    append(words, more);
    return words;
  }
  [[nodiscard]] Words client(std::size_t number, const Words& more = {}) const {
    const std::string text = std::to_string(number);
    return client_with("client" + text + ".pem", "c" + text + ".csv", text, more);
  }
  [[nodiscard]] Words client_with(const std::string& key_file, const std::string& file, const std::string& number,
                                  const Words& more = {}) const {
    Words words{"robin", "client", "--connect", address_, "--trust",  fingerprint(0),
                "--key", key_file, "--client",  file,     "--number", number};
    if (std::find(more.begin(), more.end(), "--eps") == more.end()) {
      append(words, {"--eps", "5000"});
    }
    append(words, more);
    return words;
  }

  // What a client of the test's own sends, with the key of that client.
  [[nodiscard]] net::ServiceClient hostile(std::size_t number) const {
    net::ClientConfig config;
    config.service = net::parse_address(address_, "test");
    config.trust.identity = identities_.at(number + 1);
    config.trust.trusted = {fingerprint(0)};
    config.name = apps::robin_service_name;
    return net::ServiceClient(std::move(config));
  }

  [[nodiscard]] const std::string& address() const { return address_; }
  std::shared_ptr<const net::Identity> key(const std::string& name) const {
    auto identity = std::make_shared<const net::Identity>(net::Identity::create(name));
    identity->write(folder.path() / (name + ".pem"));
    return identity;
  }
  [[nodiscard]] json report() const { return json::parse(contents(folder.path() / "aggregator.json")); }

  TestFolder folder;

 private:
  [[nodiscard]] std::string fingerprint(std::size_t who) const { return identities_.at(who)->fingerprint(); }
  static void append(Words& words, const Words& more) { words.insert(words.end(), more.begin(), more.end()); }

  std::size_t clients_;
  std::string address_;
  std::vector<std::shared_ptr<const net::Identity>> identities_;  // the aggregator's first
};

using Process = std::unique_ptr<SottoProcess>;

Process start(const Companies& companies, const Words& words) {
  return std::make_unique<SottoProcess>(companies.folder, words);
}

// Waits until it has said so on stderr.
void await(const SottoProcess& process, const std::string& what) {
  while (runs(process.pid()) && !has(process.err(), what)) ::poll(nullptr, 0, 5);
  ASSERT_TRUE(has(process.err(), what)) << process.err();
}

constexpr auto soon = std::chrono::seconds(30);

net::Message message_of(apps::RobinMessage type, std::vector<std::byte> payload) {
  return {static_cast<std::uint16_t>(type), std::move(payload)};
}

TEST(RobinRoles, CompaniesRunTogetherAndTellNothingElse) {
  for (const std::size_t clients : {2u, 3u, 5u}) {
    const Companies companies(clients);
    const Process aggregator = start(companies, companies.aggregator());
    std::vector<Process> others;
    for (std::size_t i = 0; i < clients; ++i) {
      const std::string report = "report" + std::to_string(i) + ".json";
      others.push_back(start(companies, companies.client(i, {"--report", report, "--eps", "5000", "--delta", "1e-5"})));
    }
    EXPECT_EQ(aggregator->wait(), 0) << aggregator->err();
    for (std::size_t i = 0; i < clients; ++i) {
      EXPECT_EQ(others[i]->wait(), 0) << others[i]->err();
      const std::string file = "report" + std::to_string(i) + ".json";
      const json report = json::parse(contents(companies.folder.path() / file));
      EXPECT_EQ(report.at("first"), i);
      EXPECT_EQ(report.at("phases").size(), 6u);
      EXPECT_TRUE(has(others[i]->out(), "reward")) << others[i]->out();
    }
    const json report = companies.report();
    EXPECT_EQ(report.at("mode"), "federated");
    EXPECT_EQ(report.at("releases").size(), 2u);
    EXPECT_EQ(report.at("estimates").size(), 2u);
    EXPECT_GT(report.at("eps_spent"), 0.0);
    EXPECT_LE(report.at("eps_spent"), 5000.0);
    EXPECT_EQ(report.at("status"), "complete");
    EXPECT_EQ(report.at("refused"), false);
    EXPECT_EQ(report.at("clients"), clients);
    EXPECT_EQ(report.at("epsilon"), 5000.0);
    EXPECT_EQ(report.at("delta"), 1e-5);
    EXPECT_EQ(report.at("delta_spent"), 1e-5);
    EXPECT_EQ(report.at("composition"), "zcdp");
    EXPECT_NE(report.at("version"), "");
    EXPECT_FALSE(report.contains("error"));
    const std::string said =
        aggregator->out() + aggregator->err() + contents(companies.folder.path() / "aggregator.json");
    EXPECT_FALSE(has(said, secret));
    EXPECT_FALSE(has(said, "reward"));
    EXPECT_TRUE(has(aggregator->out(), "2 releases")) << aggregator->out();
  }
}

TEST(RobinRoles, WhoDoesNotFitIsToldAndMayComeAgain) {
  const Companies companies(2);
  (void)companies.folder.write("wide.csv", log_of(1, 126, "a,b,c"));
  (void)companies.folder.write("short.csv", log_of(1, 62));
  (void)companies.folder.write("other.csv", log_of(1, 126, "a,z"));
  (void)companies.key("stranger");
  const Process aggregator = start(companies, companies.aggregator());
  const Process first = start(companies, companies.client(0));
  await(*aggregator, "client 0 joined");
  struct Wrong {
    Words words;
    int code;
    std::string says;
  };
  const std::string own = "client1.pem";
  for (const Wrong& wrong : std::vector<Wrong>{
           {companies.client_with(own, "wide.csv", "1"), 5, "3 features and 3 arms"},
           {companies.client_with(own, "short.csv", "1"), 5, "62 steps"},
           {companies.client_with(own, "other.csv", "1"), 5, "other names"},
           {companies.client_with(own, "c1.csv", "0"), 5, "client 0 has joined already"},
           {companies.client_with(own, "c1.csv", "2"), 5, "clients 0 to 1"},
           {companies.client_with("client0.pem", "c1.csv", "1"), 5, "certificate of client 0"},
           {companies.client_with("stranger.pem", "c1.csv", "1"), 7, "trust"},
           {companies.client(1, {"--eps", "4999"}), 5, "--eps 4999"},
           {companies.client(1, {"--delta", "1e-6"}), 5, "--delta 1e-06"},
       }) {
    const Process process = start(companies, wrong.words);
    EXPECT_EQ(process->wait(), wrong.code) << process->err();
    EXPECT_TRUE(has(process->error(), wrong.says)) << process->err() << wrong.says;
  }
  const Process second = start(companies, companies.client(1));
  EXPECT_EQ(second->wait(), 0) << second->err();
  EXPECT_EQ(first->wait(), 0) << first->err();
  EXPECT_EQ(aggregator->wait(), 0) << aggregator->err();
  EXPECT_EQ(companies.report().at("releases").size(), 2u);
}

// Sends bytes to the port, as nobody with a key would.
void send_raw(const std::string& address, const std::string& bytes) {
  const net::Address to = net::parse_address(address, "test");
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_port = htons(to.port);
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(::connect(socket, reinterpret_cast<const sockaddr*>(&at), sizeof at), 0);
  (void)::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  ::close(socket);
}

TEST(RobinRoles, BytesOfStrangersDoNotDisturb) {
  const Companies companies(2);
  const Process aggregator = start(companies, companies.aggregator());
  await(*aggregator, "listens on");
  for (const std::string& bytes :
       {std::string("GET / HTTP/1.1\r\n\r\n"), std::string(100'000, '\xff'), std::string(64, '\0'), std::string()}) {
    send_raw(companies.address(), bytes);
  }
  const Process first = start(companies, companies.client(0));
  await(*aggregator, "client 0 joined");
  send_raw(companies.address(), std::string(5000, 'x'));
  const Process second = start(companies, companies.client(1));
  EXPECT_EQ(aggregator->wait(), 0) << aggregator->err();
  EXPECT_EQ(first->wait(), 0) << first->err();
  EXPECT_EQ(second->wait(), 0) << second->err();
}

// A client that joins in order and then sends this for the first release.
struct Hostile {
  const char* what;
  apps::RobinMessage type;
  std::vector<std::byte> payload;
  int code;
  const char* says;
};

TEST(RobinRoles, AHostileClientEndsTheRunAndNothingIsSpent) {
  const auto estimates = [](std::uint64_t release, std::vector<double> values) {
    return encode(apps::RobinEstimates{release, std::move(values)});
  };
  std::vector<std::byte> lying = estimates(0, {1, 2});
  lying[8] = std::byte{0xff};  // of the count
  for (const Hostile& hostile : std::vector<Hostile>{
           {"NaN", apps::RobinMessage::estimates, estimates(0, {NAN, 0.5}), 4, "no finite number"},
           {"infinity", apps::RobinMessage::estimates, estimates(0, {0, INFINITY}), 4, "no finite number"},
           {"dimension", apps::RobinMessage::estimates, estimates(0, {0, 0, 0}), 4, "another dimension"},
           {"release", apps::RobinMessage::estimates, estimates(1, {0, 0}), 4, "release 2, not 1"},
           {"count", apps::RobinMessage::estimates, lying, 4, "none of ROBIN's"},
           {"empty", apps::RobinMessage::estimates, {}, 4, "none of ROBIN's"},
           {"type", apps::RobinMessage::play, {}, 4, "none of ROBIN's"},
           {"join", apps::RobinMessage::join, encode(apps::RobinJoin{1, 1, 2, 3, 126, 0}), 4, "joined twice"},
       }) {
    const Companies companies(2);
    const Process aggregator = start(companies, companies.aggregator());
    const Process honest = start(companies, companies.client(0));
    await(*aggregator, "client 0 joined");
    net::ServiceClient client = companies.hostile(1);
    const std::uint64_t columns = fnv1a("a\nb\n");
    const net::Message terms =
        client.ask(message_of(apps::RobinMessage::join, encode(apps::RobinJoin{1, 1, 2, 3, 126, columns})),
                   net::Clock::now() + soon);
    ASSERT_EQ(terms.type, static_cast<std::uint16_t>(apps::RobinMessage::settings));
    client.send(message_of(hostile.type, hostile.payload));
    (void)client.flush(net::Clock::now() + soon);
    EXPECT_EQ(aggregator->wait(), hostile.code) << hostile.what << aggregator->err();
    EXPECT_TRUE(has(aggregator->error(), hostile.says)) << hostile.what << aggregator->err();
    EXPECT_TRUE(has(aggregator->error(), "client 1")) << aggregator->err();
    EXPECT_EQ(honest->wait(), hostile.code) << hostile.what << honest->err();
    EXPECT_TRUE(has(honest->error(), "the aggregator reports: client 1")) << honest->err();
    EXPECT_EQ(companies.report().at("eps_spent"), 0.0);
    EXPECT_EQ(companies.report().at("releases"), json::array());
    EXPECT_TRUE(has(companies.report().at("error"), hostile.says));
  }
}

TEST(RobinRoles, AClientThatLeavesOrSaysNothingEndsTheRun) {
  for (const bool leaves : {true, false}) {
    const Companies companies(2);
    const Process aggregator = start(companies, companies.aggregator({"--deadline", leaves ? "60" : "2"}));
    const Process honest = start(companies, companies.client(0));
    await(*aggregator, "client 0 joined");
    std::optional<net::ServiceClient> client = companies.hostile(1);
    const std::uint64_t columns = fnv1a("a\nb\n");
    (void)client->ask(message_of(apps::RobinMessage::join, encode(apps::RobinJoin{1, 1, 2, 3, 126, columns})),
                      net::Clock::now() + soon);
    await(*aggregator, "client 1 joined");
    if (leaves) client.reset();
    EXPECT_EQ(aggregator->wait(), 3) << aggregator->err();
    EXPECT_TRUE(has(aggregator->error(),
                    leaves ? "client 1 was lost before release 1" : "client 1 did not report for release 1"))
        << aggregator->err();
    EXPECT_EQ(honest->wait(), 3) << honest->err();
    EXPECT_TRUE(has(honest->error(), "client 1")) << honest->err();
    EXPECT_EQ(companies.report().at("eps_spent"), 0.0);
  }
}

TEST(RobinRoles, AClientThatNeverJoinsIsNamed) {
  const Companies companies(3);
  const Process aggregator = start(companies, companies.aggregator({"--deadline", "2"}));
  const Process first = start(companies, companies.client(1));
  EXPECT_EQ(aggregator->wait(), 3);
  EXPECT_TRUE(has(aggregator->error(), "client 0 and 1 more did not join within 2 s")) << aggregator->err();
  EXPECT_EQ(first->wait(), 3) << first->err();
}

TEST(RobinRoles, AnInterruptedAggregatorTellsItsClients) {
  const Companies companies(2);
  const Process aggregator = start(companies, companies.aggregator());
  const Process first = start(companies, companies.client(0));
  await(*aggregator, "client 0 joined");
  aggregator->signal(SIGINT);
  EXPECT_EQ(aggregator->wait(), 130) << aggregator->err();
  EXPECT_EQ(first->wait(), 3) << first->err();
  EXPECT_EQ(companies.report().at("error"), "interrupted");
  EXPECT_EQ(companies.report().at("status"), "failed");
}

TEST(RobinRoles, BadFlagsAreOneLine) {
  const Companies companies(2);
  struct Bad {
    Words words;
    std::string says;
  };
  const std::string some = "sha256:" + std::string(64, 'a');
  const Words listen{"robin", "aggregator", "--listen", Ports::take(), "--key", "aggregator.pem"};
  const auto with = [&](Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  const Words connect{"robin", "client", "--connect", Ports::take(), "--trust", some};
  const Words own = with(connect, {"--client", "c0.csv", "--key", "client0.pem"});
  for (const Bad& bad : std::vector<Bad>{
           {{"robin", "aggregator"}, "--listen"},
           {with(listen, {"--clients", "2", "--eps", "5000"}), "--trust"},
           {with(listen, {"--trust", "anyone", "--clients", "2"}), "--trust"},
           {with(listen, {"--trust", some, "--clients", "2"}), "1 fingerprint for 2 clients"},
           {with(listen, {"--trust", "nobody"}), "--trust"},
           {with(listen, {"--clients", "1"}), "--clients"},
           {with(listen, {"--eps", "0"}), "--eps"},
           {with(listen, {"--eps", "1e308"}), "no promise at all"},
           {with(listen, {"--composition", "basic", "--noise", "gaussian"}), "--noise"},
           {with(listen, {"--deadline", "-1"}), "--deadline"},
           {companies.aggregator({"--range", "none"}), "--range"},
           {{"robin", "client", "--client", "c0.csv"}, "--connect"},
           {connect, "--client"},
           {with(connect, {"--client", "c0.csv"}), "--key"},
           {with(own, {}), "--eps: say which promise"},
           {with(own, {"--eps", "0"}), "--eps"},
           {with(own, {"--eps", "nan"}), "--eps"},
           {with(own, {"--eps", "1", "--delta", "1"}), "--delta"},
           {with(own, {"--eps", "1", "--client", "./c0.csv"}), "given twice"},
           {with(connect, {"--client", "c0.csv", "--simulated", "1"}), "--client"},
           {with(connect, {"--client", "no.csv", "--key", "client0.pem", "--eps", "1"}), "no.csv"},
           {with(connect, {"--client", "c0.csv", "--key", "no.pem"}), "no.pem"},
       }) {
    const Process process = start(companies, bad.words);
    EXPECT_EQ(process->wait(), 2) << bad.says << process->err();
    const std::string error = process->err();
    EXPECT_EQ(std::count(error.begin(), error.end(), '\n'), 1) << error;
    EXPECT_TRUE(has(error, bad.says)) << error << bad.says;
    EXPECT_EQ(process->out(), "");
  }
}

TEST(RobinRoles, HelpOffersNoAggregatorForAnyone) {
  const TestFolder folder;
  SottoProcess process(folder, {"robin", "aggregator", "--help"});
  EXPECT_EQ(process.wait(), 0) << process.err();
  EXPECT_TRUE(has(process.out(), "--trust")) << process.out();
  EXPECT_FALSE(has(process.out(), "anyone")) << process.out();
}

// What was agreed on without a delta holds for a client that says nothing of it.
TEST(RobinRoles, AClientAcceptsNoLargerDeltaThanIsCommonUnlessItSaysSo) {
  const Companies companies(2);
  const Process aggregator = start(companies, companies.aggregator({"--delta", "1e-3"}));
  await(*aggregator, "listens on");
  const Process refused = start(companies, companies.client(0));
  EXPECT_EQ(refused->wait(), 5) << refused->err();
  EXPECT_TRUE(has(refused->error(), "--delta 1e-05")) << refused->err();
  const Process first = start(companies, companies.client(0, {"--delta", "1e-3"}));
  const Process second = start(companies, companies.client(1, {"--delta", "1e-3"}));
  EXPECT_EQ(aggregator->wait(), 0) << aggregator->err();
  EXPECT_EQ(first->wait(), 0) << first->err();
  EXPECT_EQ(second->wait(), 0) << second->err();
}

TEST(RobinRoles, ARunThatWouldMisfireIsRefusedBeforeAnybodyJoins) {
  const Companies companies(2);
  Words words = companies.aggregator();
  *std::find(words.begin(), words.end(), "5000") = "1";
  const Process aggregator = start(companies, words);
  EXPECT_EQ(aggregator->wait(), 2);
  EXPECT_TRUE(has(aggregator->error(), "too few")) << aggregator->err();
  EXPECT_EQ(companies.report().at("mode"), "refused");
  EXPECT_EQ(companies.report().at("status"), "refused");
  EXPECT_EQ(companies.report().at("refused"), true);
  EXPECT_EQ(companies.report().at("eps_spent"), 0.0);
}

}  // namespace
}  // namespace sotto::testing
