#include "apps/robin/roles/messages.h"
#include "apps/robin/roles/roles.h"
#include "net/star/client.h"
#include "sotto/protocol/wire/label.h"
#include "tests/net/hostile.h"
#include "tests/process/robin_logs.h"
#include "tests/process/role_runs.h"

namespace sotto::testing {
namespace {

class Companies {
 public:
  explicit Companies(std::size_t clients) : clients_(clients), address_(Ports::take()) {
    identities_.push_back(key("aggregator"));
    for (std::size_t i = 0; i < clients; ++i) {
      identities_.push_back(key("client" + std::to_string(i)));
      folder.write("c" + std::to_string(i) + ".csv", log_of(static_cast<unsigned>(i), 126));
    }
  }

  [[nodiscard]] Words aggregator(const std::string& more = "", const std::string& eps = "5000") const {
    std::string line =
        "robin aggregator --key aggregator.pem --dim 2 --arms 3 --horizon 126 --noise-sd 0.1 --init-phases 4 "
        "--report aggregator.json --eps " +
        eps + " --listen " + address_ + " --clients " + std::to_string(clients_);
    for (std::size_t i = 0; i < clients_; ++i) line += " --trust " + fingerprint(i + 1);
    return words_of(line + " " + more);
  }
  [[nodiscard]] Words client(std::size_t number, const std::string& more = "--eps 5000") const {
    const std::string text = std::to_string(number);
    return client_with("client" + text + ".pem", "c" + text + ".csv", text, more);
  }
  [[nodiscard]] Words client_with(const std::string& key_file, const std::string& file, const std::string& number,
                                  const std::string& more = "--eps 5000") const {
    return words_of("robin client --connect " + address_ + " --trust " + fingerprint(0) + " --key " + key_file +
                    " --client " + file + " --number " + number + " " + more);
  }

  [[nodiscard]] net::ServiceClient hostile(std::size_t number) const {
    net::ClientConfig config;
    config.service = address();
    config.trust.identity = identities_.at(number + 1);
    config.trust.trusted = {fingerprint(0)};
    config.name = apps::robin::robin_service_name;
    return net::ServiceClient(std::move(config));
  }

  [[nodiscard]] net::Address address() const { return net::parse_address(address_, "test"); }
  std::shared_ptr<const net::Identity> key(const std::string& name) const {
    auto identity = std::make_shared<const net::Identity>(net::Identity::create(name));
    identity->write(folder.path() / (name + ".pem"));
    return identity;
  }
  [[nodiscard]] json report() const { return json::parse(contents(folder.path() / "aggregator.json")); }

  TestFolder folder;

 private:
  [[nodiscard]] std::string fingerprint(std::size_t who) const { return identities_.at(who)->fingerprint(); }

  std::size_t clients_;
  std::string address_;
  std::vector<std::shared_ptr<const net::Identity>> identities_;
};

using Process = std::unique_ptr<SottoProcess>;

Process start(const Companies& companies, const Words& words) {
  return std::make_unique<SottoProcess>(companies.folder, words);
}

void expect_success(const auto&... processes) {
  const auto expect = [](const Process& process) { EXPECT_EQ(process->wait(), 0) << process->err(); };
  (expect(processes), ...);
}

constexpr auto soon = std::chrono::seconds(30);

net::Message message_of(apps::robin::RobinMessage type, std::vector<std::byte> payload) {
  return {static_cast<std::uint16_t>(type), std::move(payload)};
}

TEST(RobinRoles, CompaniesRunTogetherAndTellNothingElse) {
  for (const std::size_t clients : {2u, 3u, 5u}) {
    const Companies companies(clients);
    const Process aggregator = start(companies, companies.aggregator());
    std::vector<Process> others;
    for (std::size_t i = 0; i < clients; ++i) {
      const std::string report = "report" + std::to_string(i) + ".json";
      others.push_back(start(companies, companies.client(i, "--eps 5000 --delta 1e-5 --report " + report)));
    }
    expect_success(aggregator);
    for (std::size_t i = 0; i < clients; ++i) {
      expect_success(others[i]);
      const std::string file = "report" + std::to_string(i) + ".json";
      const json report = json::parse(contents(companies.folder.path() / file));
      EXPECT_EQ(report.at("first"), i);
      EXPECT_EQ(report.at("phases").size(), 6u);
      EXPECT_THAT(others[i]->out(), HasSubstr("reward"));
    }
    const json report = companies.report();
    EXPECT_EQ(report.at("releases").size(), 2u);
    EXPECT_EQ(report.at("estimates").size(), 2u);
    EXPECT_GT(report.at("eps_spent"), 0.0);
    EXPECT_LE(report.at("eps_spent"), 5000.0);
    expect_fields(report, {{"clients", clients},
                           {"mode", "federated"},
                           {"status", "complete"},
                           {"refused", false},
                           {"epsilon", 5000.0},
                           {"delta", 1e-5},
                           {"delta_spent", 1e-5},
                           {"composition", "zcdp"}});
    EXPECT_NE(report.at("version"), "");
    EXPECT_FALSE(report.contains("error"));
    const std::string said =
        aggregator->out() + aggregator->err() + contents(companies.folder.path() / "aggregator.json");
    EXPECT_FALSE(has(said, secret_reward));
    EXPECT_FALSE(has(said, "reward"));
    EXPECT_THAT(aggregator->out(), HasSubstr("2 releases"));
  }
}

TEST(RobinRoles, WhoDoesNotFitIsToldAndMayComeAgain) {
  const Companies companies(2);
  companies.folder.write("wide.csv", log_of(1, 126, "a,b,c"));
  companies.folder.write("short.csv", log_of(1, 62));
  companies.folder.write("other.csv", log_of(1, 126, "a,z"));
  (void)companies.key("stranger");
  const Process aggregator = start(companies, companies.aggregator());
  const Process first = start(companies, companies.client(0));
  aggregator->wait_for("client 0 joined");
  const std::string own = "client1.pem";
  const std::tuple<Words, int, const char*> cases[] = {
      {companies.client_with(own, "wide.csv", "1"), 5, "3 features and 3 arms"},
      {companies.client_with(own, "short.csv", "1"), 5, "62 steps"},
      {companies.client_with(own, "other.csv", "1"), 5, "other names"},
      {companies.client_with(own, "c1.csv", "0"), 5, "client 0 has joined already"},
      {companies.client_with(own, "c1.csv", "2"), 5, "clients 0 to 1"},
      {companies.client_with("client0.pem", "c1.csv", "1"), 5, "certificate of client 0"},
      {companies.client_with("stranger.pem", "c1.csv", "1"), 7, "trust"},
      {companies.client(1, "--eps 4999"), 5, "--eps 4999"},
      {companies.client(1, "--eps 5000 --delta 1e-6"), 5, "--delta 1e-06"},
  };
  for (const auto& [words, code, says] : cases) {
    const Process process = start(companies, words);
    expect_end(*process, code, says);
  }
  const Process second = start(companies, companies.client(1));
  expect_success(second, first, aggregator);
  EXPECT_EQ(companies.report().at("releases").size(), 2u);
}

TEST(RobinRoles, BytesOfStrangersDoNotDisturb) {
  const Companies companies(2);
  const Process aggregator = start(companies, companies.aggregator());
  aggregator->wait_for("listens on");
  for (const std::string& bytes :
       {std::string("GET / HTTP/1.1\r\n\r\n"), std::string(100'000, '\xff'), std::string(64, '\0'), std::string()}) {
    net::testing::Hostile(companies.address()).say(bytes);
  }
  const Process first = start(companies, companies.client(0));
  aggregator->wait_for("client 0 joined");
  net::testing::Hostile(companies.address()).say(std::string(5000, 'x'));
  const Process second = start(companies, companies.client(1));
  expect_success(aggregator, first, second);
}

net::Message hello() {
  return message_of(apps::robin::RobinMessage::join, encode(apps::robin::RobinJoin{1, 1, 2, 3, 126, fnv1a("a\nb\n")}));
}

// The wrong message that a client sends for the first release. Before this message, the client joined as usual.
struct Hostile {
  const char* what;
  apps::robin::RobinMessage type;
  std::vector<std::byte> payload;
  const char* says;
};

TEST(RobinRoles, AHostileClientEndsTheRunAndNothingIsSpent) {
  const auto estimates = [](std::uint64_t release, std::vector<double> values) {
    return encode(apps::robin::RobinEstimates{release, std::move(values)});
  };
  std::vector<std::byte> lying = estimates(0, {1, 2});
  lying[8] = std::byte{0xff};
  for (const Hostile& hostile : std::vector<Hostile>{
           {"NaN", apps::robin::RobinMessage::estimates, estimates(0, {NAN, 0.5}), "no finite number"},
           {"infinity", apps::robin::RobinMessage::estimates, estimates(0, {0, INFINITY}), "no finite number"},
           {"dimension", apps::robin::RobinMessage::estimates, estimates(0, {0, 0, 0}), "another dimension"},
           {"release", apps::robin::RobinMessage::estimates, estimates(1, {0, 0}), "release 2, not 1"},
           {"count", apps::robin::RobinMessage::estimates, lying, "none of ROBIN's"},
           {"empty", apps::robin::RobinMessage::estimates, {}, "none of ROBIN's"},
           {"type", apps::robin::RobinMessage::play, {}, "none of ROBIN's"},
           {"join", apps::robin::RobinMessage::join, encode(apps::robin::RobinJoin{1, 1, 2, 3, 126, 0}),
            "joined twice"},
       }) {
    const Companies companies(2);
    const Process aggregator = start(companies, companies.aggregator());
    const Process honest = start(companies, companies.client(0));
    aggregator->wait_for("client 0 joined");
    net::ServiceClient client = companies.hostile(1);
    const net::Message terms = client.ask(hello(), net::Clock::now() + soon);
    ASSERT_EQ(terms.type, static_cast<std::uint16_t>(apps::robin::RobinMessage::settings));
    client.send(message_of(hostile.type, hostile.payload));
    (void)client.flush(net::Clock::now() + soon);
    SCOPED_TRACE(hostile.what);
    expect_end(*aggregator, 4, hostile.says);
    EXPECT_THAT(aggregator->error(), HasSubstr("client 1"));
    expect_end(*honest, 4, "the aggregator reports: client 1");
    EXPECT_EQ(companies.report().at("eps_spent"), 0.0);
    EXPECT_EQ(companies.report().at("releases"), json::array());
    EXPECT_THAT(companies.report().at("error"), HasSubstr(hostile.says));
  }
}

TEST(RobinRoles, AClientThatLeavesOrSaysNothingEndsTheRun) {
  for (const bool leaves : {true, false}) {
    const Companies companies(2);
    const Process aggregator = start(companies, companies.aggregator(leaves ? "--deadline 60" : "--deadline 2"));
    const Process honest = start(companies, companies.client(0));
    aggregator->wait_for("client 0 joined");
    std::optional<net::ServiceClient> client = companies.hostile(1);
    (void)client->ask(hello(), net::Clock::now() + soon);
    aggregator->wait_for("client 1 joined");
    if (leaves) client.reset();
    EXPECT_EQ(aggregator->wait(), 3) << aggregator->err();
    EXPECT_TRUE(has(aggregator->error(),
                    leaves ? "client 1 was lost before release 1" : "client 1 did not report for release 1"))
        << aggregator->err();
    expect_end(*honest, 3, "client 1");
    EXPECT_EQ(companies.report().at("eps_spent"), 0.0);
  }
}

TEST(RobinRoles, AClientThatNeverJoinsIsNamed) {
  const Companies companies(3);
  const Process aggregator = start(companies, companies.aggregator("--deadline 2"));
  const Process first = start(companies, companies.client(1));
  expect_end(*aggregator, 3, "client 0 and 1 more did not join within 2 s");
  EXPECT_EQ(first->wait(), 3) << first->err();
}

TEST(RobinRoles, AnInterruptedAggregatorTellsItsClients) {
  const Companies companies(2);
  const Process aggregator = start(companies, companies.aggregator());
  const Process first = start(companies, companies.client(0));
  aggregator->wait_for("client 0 joined");
  aggregator->signal(SIGINT);
  EXPECT_EQ(aggregator->wait(), 130) << aggregator->err();
  EXPECT_EQ(first->wait(), 3) << first->err();
  EXPECT_EQ(companies.report().at("error"), "interrupted");
  EXPECT_EQ(companies.report().at("status"), "failed");
}

TEST(RobinRoles, BadFlagsAreOneLine) {
  const Companies companies(2);
  const std::string some = "sha256:" + std::string(64, 'a');
  const TestFolder& folder = companies.folder;
  expect_refusals(folder, "robin aggregator --key aggregator.pem --listen " + Ports::take(),
                  {{"--clients 2 --eps 5000", "--trust"},
                   {"--trust anyone --clients 2", "--trust"},
                   {"--trust " + some + " --clients 2", "1 fingerprint for 2 clients"},
                   {"--trust nobody", "--trust"},
                   {"--clients 1", "--clients"},
                   {"--eps 0", "--eps"},
                   {"--eps 1e308", "no promise at all"},
                   {"--composition basic --noise gaussian", "--noise"},
                   {"--deadline -1", "--deadline"}});
  expect_refused(folder, companies.aggregator("--range none"), "--range");
  expect_refusals(folder, "robin", {{"aggregator", "--listen"}, {"client --client c0.csv", "--connect"}});
  expect_refusals(folder, "robin client --trust " + some + " --connect " + Ports::take(),
                  {{"", "--client"},
                   {"--client c0.csv", "--key"},
                   {"--client c0.csv --key client0.pem", "--eps: say which promise"},
                   {"--client c0.csv --key client0.pem --eps 0", "--eps"},
                   {"--client c0.csv --key client0.pem --eps nan", "--eps"},
                   {"--client c0.csv --key client0.pem --eps 1 --delta 1", "--delta"},
                   {"--client c0.csv --key client0.pem --eps 1 --client ./c0.csv", "given twice"},
                   {"--client c0.csv --simulated 1", "--client"},
                   {"--client no.csv --key client0.pem --eps 1", "no.csv"},
                   {"--client c0.csv --key no.pem", "no.pem"}});
}

TEST(RobinRoles, HelpOffersNoAggregatorForAnyone) {
  const TestFolder folder;
  const std::string help = succeed(folder, {"robin", "aggregator", "--help"});
  EXPECT_THAT(help, HasSubstr("--trust"));
  EXPECT_FALSE(has(help, "anyone")) << help;
}

// A client that names no delta accepts the delta on which the roles agree.
TEST(RobinRoles, AClientAcceptsNoLargerDeltaThanIsCommonUnlessItSaysSo) {
  const Companies companies(2);
  const Process aggregator = start(companies, companies.aggregator("--delta 1e-3"));
  aggregator->wait_for("listens on");
  const Process refused = start(companies, companies.client(0));
  expect_end(*refused, 5, "--delta 1e-05");
  const Process first = start(companies, companies.client(0, "--eps 5000 --delta 1e-3"));
  const Process second = start(companies, companies.client(1, "--eps 5000 --delta 1e-3"));
  expect_success(aggregator, first, second);
}

TEST(RobinRoles, ARunThatWouldMisfireIsRefusedBeforeAnybodyJoins) {
  const Companies companies(2);
  const Process aggregator = start(companies, companies.aggregator("", "1"));
  expect_end(*aggregator, 2, "too few");
  EXPECT_EQ(companies.report().at("mode"), "refused");
  EXPECT_EQ(companies.report().at("status"), "refused");
  EXPECT_EQ(companies.report().at("refused"), true);
  EXPECT_EQ(companies.report().at("eps_spent"), 0.0);
}

}  // namespace
}  // namespace sotto::testing
