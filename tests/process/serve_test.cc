// A decision service whose roles except the actor are processes, which tests kill. The actor runs in the test's
// process.

#include <csignal>
#include <random>

#include "apps/kit/http/server.h"
#include "apps/live/engine/live_programs.h"
#include "apps/live/serve/served_role.h"
#include "sotto/protocol/ring/fixed_point.h"
#include "tests/process/service_over_http.h"
#include "tests/process/sotto_process.h"

namespace sotto::testing {

using namespace sotto::apps::live;
namespace {

using apps::live::AskReply;
using apps::live::CallRefusal;
using apps::live::LiveConfig;
using LiveNumbers = std::vector<std::uint64_t>;

constexpr std::size_t served_arms = 3;
const std::vector<double> served_defaults{.3, .2};

class ServedByProcesses {
 public:
  ServedByProcesses(const TestFolder& folder, RandomnessBy preprocessing) : folder_(folder) {
    const fs::path columns = folder.write("columns.csv", "name,low,high,default\nx,-1,1,0.3\ny,-1,1,0.2\n");
    for (LiveConfig& config : apps::live::local_service(service_of_default_rows(preprocessing), folder.path())) {
      const std::string role = config.role_key();
      if (config.role_word == "party") config.columns = columns;
      configs_.emplace(role, std::move(config));
      if (role != "actor") start(role);
    }
    actor_ = std::make_unique<apps::live::ServedRole>(configs_.at("actor"), io_);
    actor_->start();
  }

  void start(const std::string& role) {
    const fs::path file = folder_.write(role + ".toml", to_toml(configs_.at(role)));
    processes_[role] = std::make_unique<SottoProcess>(folder_, Words{"serve", "--config", file.string()});
  }
  void kill(const std::string& role) {
    processes_.at(role)->signal(SIGKILL);
    EXPECT_EQ(processes_.at(role)->wait(), 1000 + SIGKILL);
  }
  void end() {
    actor_->stop();
    io_.poll();
    for (auto& [role, process] : processes_) process->signal(SIGTERM);
    for (auto& [role, process] : processes_) EXPECT_EQ(process->wait(), 0) << process->err();
  }
  [[nodiscard]] apps::live::ActorService& actor() { return static_cast<apps::live::ActorService&>(actor_->service()); }
  template <class Predicate>
  [[nodiscard]] bool run_until(Predicate is_so) {
    const auto end = net::Clock::now() + std::chrono::seconds(120);
    while (!is_so()) {
      io_.run_for(std::chrono::milliseconds(10));
      if (net::Clock::now() >= end) return false;
    }
    return true;
  }
  [[nodiscard]] apps::bandit::BatchPlan plan() const {
    const LiveConfig& config = configs_.at("actor");
    return plan_batches(apps::live::live_parameters(config, std::vector<std::size_t>(config.parties, 2)), 8, false);
  }
  [[nodiscard]] Words roles_beside_actor() const {
    Words roles;
    for (const auto& [role, process] : processes_) roles.push_back(role);
    return roles;
  }
  [[nodiscard]] apps::bandit::ModelWords model(const std::string& role) const {
    const LiveConfig& config = configs_.at(role);
    const apps::live::LiveStore store(config.state, apps::live::live_identity(config), apps::live::live_key(config));
    std::optional<apps::bandit::ModelWords> model;
    store.each(apps::live::LiveTable::models, [&](const apps::live::RowKey&, const apps::live::LiveRow& row) {
      model = apps::bandit::decode_model_words(row, plan());
      return true;
    });
    EXPECT_TRUE(model.has_value());
    return model.value_or(apps::bandit::ModelWords{});
  }

 private:
  const TestFolder& folder_;
  net::Io io_;
  std::map<std::string, LiveConfig> configs_;
  std::map<std::string, std::unique_ptr<SottoProcess>> processes_;
  std::unique_ptr<apps::live::ServedRole> actor_;
};

// The model after `told` events per arm, each event with the default row and reward 1.
apps::bandit::ModelWords expected_model(const apps::bandit::BatchPlan& plan, const LiveNumbers& told) {
  LiveNumbers x;
  for (std::size_t party = 0; party < plan.parameters.columns.size(); ++party) {
    for (const double value : served_defaults) x.push_back(encode(value, plan.context_bits));
  }
  apps::bandit::ModelWords model;
  for (std::size_t arm = 0; arm < served_arms; ++arm) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      for (std::size_t j = i; j < x.size(); ++j) {
        model.gram.push_back(told[arm] * x[i] * x[j] + (i == j ? std::uint64_t{1} << (2 * plan.context_bits) : 0));
      }
      model.targets.push_back(told[arm] * x[i]);
    }
  }
  return model;
}

LiveNumbers added_up(const LiveNumbers& a, const LiveNumbers& b) {
  LiveNumbers sum = a;
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += b.at(i);
  return sum;
}

void expect_that_killed_processes_go_on(RandomnessBy preprocessing) {
  const TestFolder folder;
  ServedByProcesses service(folder, preprocessing);
  std::mt19937 random(5);
  LiveNumbers told(served_arms, 0);
  std::size_t answers = 0;
  constexpr std::size_t events = 120;
  std::size_t asked = 0;
  const Words roles = service.roles_beside_actor();
  std::size_t kills = 0;
  ASSERT_TRUE(service.run_until([&] {
    if (asked < events && asked - answers < 12) {
      apps::live::DecisionRequest request;
      request.event[0] = static_cast<std::byte>(++asked);
      service.actor().ask({request}, true, [&](const auto& replies, CallRefusal trouble) {
        ASSERT_EQ(trouble, CallRefusal::none);
        ASSERT_EQ(replies.size(), 1u);
        ASSERT_TRUE(replies[0].second.answer.has_value());
        EXPECT_EQ(replies[0].second.answer->state, apps::live::DecisionState::decided);
        ++told.at(replies[0].second.answer->arm);
        ++answers;
      });
    }
    if (kills < 6 && answers >= 15 * (kills + 1)) {
      const std::string role = roles[random() % roles.size()];
      service.kill(role);
      service.start(role);
      ++kills;
    }
    return answers == events && service.actor().status().pending == 0;
  })) << service.actor().status().why;
  EXPECT_EQ(kills, 6u);
  EXPECT_GE(service.actor().status().epoch, 4u);
  EXPECT_EQ(service.actor().counters().prepared.has_value(), preprocessing != RandomnessBy::dealer);
  service.end();
  const apps::bandit::ModelWords expected = expected_model(service.plan(), told);
  apps::bandit::ModelWords sum = service.model("party_0");
  for (std::size_t party = 1; party < service.plan().parameters.columns.size(); ++party) {
    const apps::bandit::ModelWords own = service.model("party_" + std::to_string(party));
    sum.gram = added_up(sum.gram, own.gram);
    sum.targets = added_up(sum.targets, own.targets);
  }
  EXPECT_EQ(sum.gram, expected.gram);
  EXPECT_EQ(sum.targets, expected.targets);
}

TEST(Serve, KilledProcessesGoOnWhereTheyWere) { expect_that_killed_processes_go_on(RandomnessBy::dealer); }

TEST(Serve, ThreePartiesGoOnWhereTheyWereWithoutADealer) {
  expect_that_killed_processes_go_on(RandomnessBy::replicated);
}

TEST(Serve, TwoPartiesGoOnWhereTheyWereWithoutADealer) { expect_that_killed_processes_go_on(RandomnessBy::ot); }

TEST(Serve, TwoPartiesAndAHelperGoOnWhereTheyWere) { expect_that_killed_processes_go_on(RandomnessBy::helper); }

}  // namespace

namespace {

const std::string secret_token = "0123456789abcdef0123456789abcdef";
const std::string other_token = "fedcba9876543210fedcba9876543210";

TEST(Serve, ARetryGetsTheSameArm) {
  const TestFolder folder;
  ServiceOverHttp service(folder);
  const HttpResult told = service.decide(one_event);
  ASSERT_EQ(told.status, 200U) << told.body << told.failure;
  EXPECT_EQ(json::parse(told.body)["status"], "decided");
  for (const std::string role : {"actor", "party_0", "rewarder", "dealer", "party_1"}) {
    service.kill(role);
    service.start(role);
    for (int i = 0; i < 5; ++i) EXPECT_EQ(service.decide(one_event).body, told.body) << role;
  }
  const HttpResult other =
      service.call("actor", "POST", "/v1/decisions", R"({"event":")" + one_event + R"(","subject":"p"})");
  EXPECT_EQ(other.status, 409U);
  EXPECT_EQ(json::parse(service.decide("00000000000000000000000000000001").body)["status"], "decided");
  // The service updates its figures just after it sends an answer, so the test may have to wait for the figures.
  const auto decisions = [&] { return json::parse(service.call("actor", "GET", "/v1/privacy").body)["decisions"]; };
  while (decisions() == 1) service.process("actor").look_again();
  EXPECT_EQ(decisions(), 2);
}

TEST(Serve, WithoutADealerEveryRoleSaysWhoCouldKnowWhat) {
  const TestFolder folder;
  ServiceOverHttp service(
      folder, [](apps::live::LiveConfig& config) { config.live.agreement_epsilon = 5; },
      [](const apps::live::LiveConfig&) { return Surroundings{}; }, RandomnessBy::ot);
  const HttpResult told = service.decide(one_event);
  ASSERT_EQ(told.status, 200U) << told.body << told.failure;
  EXPECT_EQ(service.roles(), (Words{"actor", "party_0", "party_1", "rewarder"}));
  for (const std::string& role : service.roles()) {
    const json privacy = json::parse(service.call(role, "GET", "/v1/privacy").body);
    EXPECT_EQ(privacy["randomness"][0]["read_by"], json::array({json::array({"party 0", "party 1"})})) << role;
    EXPECT_THAT(privacy["agreement"]["warning"].get<std::string>(), HasSubstr("agreement_epsilon = 5 is above 2"));
    EXPECT_THAT(service.process(role).err(), HasSubstr("warning WEAK: agreement_epsilon = 5")) << role;
    EXPECT_TRUE(json::parse(service.call(role, "GET", "/v1/figures").body).contains("prepared")) << role;
    EXPECT_THAT(service.call(role, "GET", "/metrics").body, ::testing::HasSubstr("sotto_decides_waited_total")) << role;
    service.kill(role);
    service.start(role);
    EXPECT_EQ(service.decide(one_event).body, told.body) << role;
  }
  EXPECT_EQ(json::parse(service.decide("00000000000000000000000000000001").body)["status"], "decided");
}

TEST(Serve, WhatWasAcknowledgedIsThere) {
  const TestFolder folder;
  ServiceOverHttp service(folder);
  const std::string path = "/v1/events/" + one_event;
  EXPECT_EQ(service.call("party_1", "PUT", path + "/features", R"({"schema":1,"x":[0.125]})").status, 204U);
  EXPECT_EQ(service.call("rewarder", "POST", path + "/reward", R"({"value":1,"reward_id":"a"})").status, 204U);
  for (const std::string role : {"party_1", "rewarder"}) {
    service.kill(role);
    service.start(role);
  }
  EXPECT_EQ(service.call("party_1", "PUT", path + "/features", R"({"schema":1,"x":[0.125]})").status, 204U);
  EXPECT_EQ(service.call("party_1", "PUT", path + "/features", R"({"schema":1,"x":[0.25]})").status, 409U);
  EXPECT_EQ(service.call("rewarder", "POST", path + "/reward", R"({"value":0,"reward_id":"a"})").status, 409U);
  EXPECT_EQ(service.decide(one_event).status, 200U);
  EXPECT_EQ(json::parse(service.call("rewarder", "GET", path).body)["reward"], 1);
}

TEST(Serve, WrongTokensAreRefused) {
  const TestFolder folder;
  const fs::path token = folder.write("token", secret_token + "\n");
  ::chmod(token.c_str(), 0600);
  ServiceOverHttp service(folder, [&](apps::live::LiveConfig& config) {
    if (config.role_key() != "rewarder") return;
    config.http_listen = Ports::take();
    config.http_token_file = token;
  });
  const std::string path = "/v1/events/" + one_event + "/reward";
  const std::string body = R"({"value":1})";
  EXPECT_EQ(service.call("rewarder", "GET", "/readyz").status, 200U) << "needs none";
  EXPECT_EQ(service.call("rewarder", "POST", path, body).status, 401U);
  EXPECT_EQ(service.try_once("rewarder", "POST", path, body, other_token).status, 401U);
  EXPECT_EQ(service.try_once("rewarder", "POST", path, body, secret_token).status, 204U);
  std::ofstream(token) << other_token;
  service.process("rewarder").signal(SIGHUP);
  service.process("rewarder").wait_for("the token is read again");
  EXPECT_EQ(service.try_once("rewarder", "POST", path, body, secret_token).status, 401U);
  EXPECT_EQ(service.try_once("rewarder", "POST", path, body, other_token).status, 204U);
}

TEST(Serve, WhoWaitsIsToldThatItEnds) {
  const TestFolder folder;
  ServiceOverHttp service(folder);
  ASSERT_EQ(service.decide("00000000000000000000000000000001").status, 200U);
  service.kill("dealer");
  HttpClient client(service.io, {apps::UnixPath{folder.path() / "actor.sock"}});
  std::optional<HttpResult> told;
  client.post_json("/v1/decisions", R"({"event":")" + one_event + "\"}", net::Clock::now() + std::chrono::seconds(60),
                   [&](HttpResult&& come) { told = std::move(come); });
  while (service.call("actor", "GET", "/v1/events/" + one_event).status != 200) service.process("actor").look_again();
  EXPECT_FALSE(told);
  service.end("actor");
  while (!told) service.io.run_for(std::chrono::milliseconds(10));
  EXPECT_EQ(told->status, 503U) << told->failure;
  EXPECT_EQ(json::parse(told->body)["type"], "urn:sotto:ended");
  EXPECT_FALSE(fs::exists(folder.path() / "actor.sock"));
  service.start("dealer");
  service.start("actor");
  EXPECT_EQ(json::parse(service.decide(one_event).body)["status"], "decided");
}

TEST(Serve, AFeatureServiceThatHangsDelaysNobody) {
  const TestFolder folder;
  const std::string socket = (folder.path() / "features.sock").string();
  ServiceOverHttp service(folder, [&](apps::live::LiveConfig& config) {
    config.live.cut_off = 500;
    if (config.role_key() == "party_0") config.features_url = "http://unix:" + socket + ":/v1/f";
  });
  std::vector<apps::Responder> kept;
  apps::Route route;
  route.method = "POST";
  route.pattern = "/v1/f";
  route.body = apps::BodyKind::json;
  route.handler = [&](apps::Request&& request, const apps::Responder& responder) {
    const json asked = json::parse(request.body);
    if (asked["events"].size() == 1 && asked["events"][0] == one_event) {
      responder.answer(apps::Answer::json(json{{"x", {{0.5}}}}));
    } else {
      kept.push_back(responder);
    }
  };
  apps::Router router;
  router.add(std::move(route));
  apps::HttpConfig config;
  config.listen = apps::UnixPath{socket};
  const apps::HttpServer features(service.io, config, router);
  EXPECT_EQ(json::parse(service.decide("00000000000000000000000000000001").body)["status"], "decided");
  EXPECT_EQ(kept.size(), 1U);
  EXPECT_EQ(json::parse(service.decide(one_event).body)["status"], "decided");
  const json figures = json::parse(service.call("party_0", "GET", "/v1/figures").body);
  EXPECT_EQ(figures["missing"], 1);
  EXPECT_EQ(figures["columns"][0]["largest"], 0.5);
}

}  // namespace
}  // namespace sotto::testing
