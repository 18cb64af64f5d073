// A decision service whose roles are all processes, called over HTTP alone.
#include "apps/kit/http/server.h"
#include "tests/process/service_over_http.h"

namespace sotto::testing {
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
  // All went on.
  EXPECT_EQ(json::parse(service.decide("00000000000000000000000000000001").body)["status"], "decided");
  // A reading is renewed just after the answers of its number have left.
  const auto decisions = [&] { return json::parse(service.call("actor", "GET", "/v1/privacy").body)["decisions"]; };
  while (decisions() == 1) service.process("actor").look_again();
  EXPECT_EQ(decisions(), 2);
}

// Of every role of two parties without a dealer, and what is prepared; an arm stays that of its event when all of it is
// gone.
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
    // And what a window of agreement gives away, here and where it starts.
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

// Features and rewards that were acknowledged are there after their role was killed.
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

// An actor without a dealer decides nothing; when it ends, its callers hear that.
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

// Its party's default row stands, and nobody waits longer than the cut-off.
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
