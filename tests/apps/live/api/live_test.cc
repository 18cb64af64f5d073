#include "apps/live/api/live_http.h"
#include "apps/live/serve/served_http.h"
#include "apps/live/service/live_service.h"
#include "sotto/protocol/error/errors.h"
#include "tests/apps/live/api/rig.h"
#include "tests/apps/live/engine/engines.h"
#include "tests/apps/support.h"
#include "tests/framework.h"

namespace sotto::apps::live {
namespace {

using api_test::ApiCall;
using api_test::ApiReply;
using api_test::event_name;
using api_test::live_event;
using testing::engine_settings;
using testing::Engines;

LiveSettings settings_of_test() {
  LiveSettings settings = engine_settings();
  settings.cut_off = 20;
  return settings;
}

struct Site {
  std::string role;
  std::filesystem::path socket;
  Metrics metrics;
  std::unique_ptr<LiveHttp> http;
};

class LiveOverHttp : public ::testing::Test {
 protected:
  void SetUp() override {
    engines.start();
    serve(actor, "actor", *engines.actor);
    serve(parties.at(0), "party", *engines.party.at(0));
    serve(parties.at(1), "party", *engines.party.at(1));
    serve(rewarder, "rewarder", *engines.rewarder);
    serve(dealer, "dealer", *engines.dealer);
    ASSERT_TRUE(engines.run_until([&] { return engines.all_ready(); }));
  }

  template <class Service>
  void serve(Site& site, const std::string& role, Service& service) {
    LiveHttpConfig config;
    site.role = role;
    site.socket = folder.path() / (std::to_string(++sockets) + ".sock");
    config.http.listen = UnixPath{site.socket};
    config.terms = {0.25, engines.settings().arms};
    config.features = {1, {{"age", 0, 1, 0.25}, {"visits", -1, 1, 0.25}}, 1};
    config.log = [](LogLevel level, const std::string& line) {
      if (level <= LogLevel::warning) ADD_FAILURE() << line;
    };
    site.http = std::make_unique<LiveHttp>(engines.io, service, config, site.metrics);
  }

  ApiReply call(const Site& site, const std::string& method, const std::string& path, const std::string& body = "") {
    const bool is_batch = path.find(":batch") != std::string::npos;
    ApiCall one(site.socket, {site.role, method, path, body, 0, {}, {}},
                body.empty() ? ""
                : is_batch   ? "application/x-ndjson"
                             : "application/json");
    EXPECT_TRUE(engines.run_until([&] {
      one.proceed();
      return one.has_answer();
    }));
    return one.reply();
  }

  static std::string lines_for(unsigned count, const std::function<std::string(unsigned)>& rest) {
    std::string lines;
    for (unsigned i = 0; i < count; ++i) lines += R"({"event":")" + event_name(i) + "\"" + rest(i) + "}\n";
    return lines;
  }
  void expect_stored(const ApiReply& reply, std::size_t count) {
    const auto lines = reply.lines();
    ASSERT_EQ(lines.size(), count);
    for (const auto& line : lines) EXPECT_EQ(line["status"], 204) << line;
  }

  TestFolder folder;
  Engines engines{2, settings_of_test()};
  Site actor;
  std::array<Site, 2> parties;
  Site rewarder;
  Site dealer;
  int sockets = 0;
};

TEST_F(LiveOverHttp, DecidesAndLearns) {
  constexpr unsigned count = 60;
  const auto features = [](unsigned i) { return R"(,"schema":1,"x":[0.)" + std::to_string(i % 9) + ",-0.5]"; };
  for (const Site& party : parties)
    expect_stored(call(party, "POST", "/v1/features:batch", lines_for(count, features)), count);
  const auto reward = [](unsigned i) { return R"(,"value":)" + std::string(i % 2 == 0 ? "1" : "-0.5"); };
  expect_stored(call(rewarder, "POST", "/v1/rewards:batch", lines_for(count, reward)), count);
  const std::string asked = lines_for(count, [](unsigned) { return ""; });
  const ApiReply told = call(actor, "POST", "/v1/decisions:batch", asked);
  const auto answers = told.lines();
  ASSERT_EQ(answers.size(), count);
  for (unsigned i = 0; i < count; ++i) {
    EXPECT_EQ(answers[i]["status"], "decided");
    EXPECT_EQ(answers[i]["event"], event_name(i));
    EXPECT_EQ(call(parties[i % 2], "GET", "/v1/events/" + event_name(i)).json()["state"], "used");
  }
  EXPECT_EQ(call(actor, "POST", "/v1/decisions:batch", asked).body, told.body);
  EXPECT_EQ(call(actor, "GET", "/v1/decisions/" + event_name(7)).json(), answers[7]);
  const ApiReply other =
      call(parties[0], "PUT", "/v1/events/" + event_name(1) + "/features", R"({"schema":1,"x":[1,0]})");
  EXPECT_EQ(other.problem(), "too-late");
  const auto learned = [&](const Site& site) {
    return call(site, "GET", "/v1/events/" + event_name(count - 1)).json().value("learned", false);
  };
  ASSERT_TRUE(engines.run_until([&] { return learned(actor) && learned(parties[0]) && learned(rewarder); }));
  const auto late = [&](const std::string& body) {
    return call(rewarder, "POST", "/v1/events/" + event_name(1) + "/reward", body);
  };
  EXPECT_EQ(late(R"({"value":-0.5})").status, 204U);
  EXPECT_EQ(late(R"({"value":1})").problem(), "reward-conflict");
  EXPECT_EQ(call(rewarder, "GET", "/v1/figures").json()["reward_sum"], count * 0.25);
  for (const Site* site : std::initializer_list<const Site*>{&actor, &parties[0], &rewarder}) {
    const auto privacy = call(*site, "GET", "/v1/privacy").json();
    EXPECT_EQ(privacy["decisions"], count);
    EXPECT_NEAR(privacy["eta_composed"]["basic"], count * std::log(4 / 0.25 - 3), 1e-9);
  }
  const auto drained = call(actor, "POST", "/v1/drain").json();
  EXPECT_GT(drained["number"], 1);
  EXPECT_EQ(call(actor, "POST", "/v1/decisions", R"({"deadline_ms":1000})").problem(), "draining");
  // The service updates the status of /readyz just after it sends answers, so the test may have to wait.
  const auto becomes = [&](unsigned status) {
    return engines.run_until([&] { return call(actor, "GET", "/readyz").status == status; });
  };
  EXPECT_TRUE(becomes(503));
  EXPECT_EQ(call(actor, "POST", "/v1/resume").status, 200U);
  EXPECT_TRUE(becomes(200));
}

TEST_F(LiveOverHttp, SaysHowEachRoleStands) {
  const ApiReply told = call(actor, "POST", "/v1/decisions", R"({"event":")" + event_name(1) + "\"}");
  EXPECT_EQ(told.json()["number"], 1);
  for (const Site* site : std::initializer_list<const Site*>{&actor, &parties[0], &parties[1], &rewarder, &dealer}) {
    const auto status = call(*site, "GET", "/v1/status").json();
    EXPECT_EQ(status["state"], "ready");
    EXPECT_EQ(status["epoch"], 1);
    for (const auto& peer : status["peers"]) EXPECT_EQ(peer["state"], "here") << status;
    EXPECT_EQ(call(*site, "GET", "/healthz").status, 200U);
    EXPECT_EQ(call(*site, "GET", "/readyz").status, 200U);
    EXPECT_EQ(call(*site, "GET", "/v1/privacy").status, 200U);
    EXPECT_EQ(call(*site, "GET", "/v1/figures").status, 200U);
    EXPECT_THAT(call(*site, "GET", "/metrics").body, HasSubstr("sotto_ready 1\n"));
  }
  EXPECT_TRUE(engines.run_until([&] {
    return call(actor, "GET", "/metrics").body.find("sotto_events_total{outcome=\"decided\"} 1\n") != std::string::npos;
  }));
}

TEST_F(LiveOverHttp, TellsTheSameArmAfterTheActorDied) {
  const std::string body = R"({"event":")" + event_name(3) + "\"}";
  const ApiReply told = call(actor, "POST", "/v1/decisions", body);
  EXPECT_EQ(told.status, 200U);
  actor.http.reset();
  engines.kill(engines.actor_id());
  engines.start(engines.actor_id());
  serve(actor, "actor", *engines.actor);
  EXPECT_EQ(call(actor, "POST", "/v1/decisions", body).body, told.body);
  EXPECT_EQ(call(actor, "GET", "/v1/privacy").json()["decisions"], 1);
  ASSERT_TRUE(engines.run_until([&] { return engines.all_ready(); }));
  EXPECT_NEAR(call(actor, "GET", "/v1/privacy").json()["eta_composed"]["basic"], std::log(4 / 0.25 - 3), 1e-9);
  EXPECT_EQ(call(actor, "POST", "/v1/decisions", R"({"event":")" + event_name(4) + "\"}").json()["status"], "decided");
}

TEST_F(LiveOverHttp, ChangesItsMode) {
  const auto changed = call(actor, "PUT", "/v1/mode", R"({"mode":"frozen"})").json();
  EXPECT_GT(changed["number"], 0);
  for (const Site* site : std::initializer_list<const Site*>{&actor, &parties[0], &rewarder}) {
    EXPECT_TRUE(engines.run_until([&] { return call(*site, "GET", "/v1/status").json()["mode"] == "frozen"; }));
  }
}

TEST_F(LiveOverHttp, BadInputHurtsNobodyElse) {
  unsigned next = 100;
  const auto others_go_on = [&] {
    const std::string body = R"({"event":")" + event_name(++next) + "\"}";
    EXPECT_EQ(call(actor, "POST", "/v1/decisions", body).json()["status"], "decided");
  };
  struct Bad {
    const Site& site;
    const char* method;
    std::string path;
    std::string body;
    unsigned status;
    const char* problem;
  };
  const std::string one = "/v1/events/" + event_name(1);
  const std::string unknown = "/v1/events/" + event_name(2);
  EXPECT_EQ(call(actor, "POST", "/v1/decisions", R"({"event":")" + event_name(1) + "\"}").status, 200U);
  ASSERT_TRUE(engines.run_until([&] { return call(rewarder, "GET", one).json().value("learned", false); }));
  const std::string megabyte(1 << 20, 'a');
  const std::string asked = "/v1/decisions";
  const std::vector<Bad> all{
      {actor, "GET", unknown, "", 404, "unknown-event"},
      {actor, "GET", asked + "/" + event_name(2), "", 404, "unknown-event"},
      {actor, "POST", unknown + "/activate", "", 404, "unknown-event"},
      {actor, "GET", "/v1/events/0", "", 400, "bad-event"},
      {actor, "POST", asked, R"({"event":")" + event_name(1) + R"(","subject":"p-1"})", 409, "event-conflict"},
      {actor, "POST", asked, R"({"event":")" + megabyte.substr(0, 60'000) + "\"}", 400, "bad-body"},
      {actor, "POST", asked, R"({"event":")" + megabyte + "\"}", 413, "too-large"},
      {actor, "GET", "/v1/events/" + megabyte, "", 431, "header-too-large"},
      {actor, "POST", asked, R"({"not_arms":["a","b","c","d"]})", 400, "bad-body"},
      {actor, "POST", asked, R"({"deadline_ms":NaN})", 400, "bad-body"},
      {actor, "PUT", "/v1/mode", R"({"mode":"offline"})", 400, "bad-body"},
      {parties[0], "PUT", unknown + "/features", R"({"schema":1,"x":[0.1]})", 400, "bad-body"},
      {parties[0], "PUT", unknown + "/features", R"({"schema":1,"x":[NaN,0]})", 400, "bad-body"},
      {parties[0], "PUT", unknown + "/features", R"({"schema":1,"x":[1e999,0]})", 400, "bad-body"},
      {parties[0], "PUT", unknown + "/features", R"({"schema":1,"x":[1,1]})", 422, "feature-out-of-range"},
      {parties[0], "PUT", unknown + "/features", R"({"schema":1,"x":[2,0]})", 422, "feature-out-of-range"},
      {parties[0], "PUT", unknown + "/features", R"({"schema":2,"x":[0.1,0]})", 422, "other-schema"},
      {parties[0], "PUT", one + "/features", R"({"schema":1,"x":[0.1,0]})", 409, "too-late"},
      {rewarder, "POST", unknown + "/reward", R"({"value":1.5})", 422, "reward-out-of-range"},
      {rewarder, "POST", unknown + "/reward", R"({"value":NaN})", 400, "bad-body"},
      {rewarder, "POST", one + "/reward", R"({"value":1})", 410, "late"},
      {dealer, "POST", asked, R"({})", 404, "not-found"},
      {parties[1], "POST", asked, R"({})", 404, "not-found"},
  };
  for (const Bad& bad : all) {
    const ApiReply reply = call(bad.site, bad.method, bad.path, bad.body);
    const std::string what = bad.site.role + " " + bad.path.substr(0, 60) + " " + bad.body.substr(0, 60);
    EXPECT_EQ(reply.status, bad.status) << what << "\n" << reply.body;
    EXPECT_EQ(reply.problem(), bad.problem) << what;
    others_go_on();
  }
}

TEST_F(LiveOverHttp, ARewardMayComeFirst) {
  const std::string event = event_name(1);
  EXPECT_EQ(call(rewarder, "POST", "/v1/events/" + event + "/reward", R"({"value":1})").status, 204U);
  EXPECT_EQ(call(actor, "POST", "/v1/decisions", R"({"event":")" + event + "\"}").json()["status"], "decided");
  ASSERT_TRUE(
      engines.run_until([&] { return call(rewarder, "GET", "/v1/events/" + event).json().value("learned", false); }));
  EXPECT_EQ(call(rewarder, "GET", "/v1/figures").json()["reward_sum"], 1);
}

TEST_F(LiveOverHttp, IdleClientsDelayNobody) {
  std::vector<std::unique_ptr<net::ByteStream>> idle;
  for (int i = 0; i < 300; ++i) {
    const Site& site = i % 3 == 0 ? actor : i % 3 == 1 ? parties[0] : rewarder;
    idle.push_back(ApiCall::connected(site.socket));
    engines.io.poll();
  }
  const std::string head = "POST /v1/decisions HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n";
  for (const std::string& begun : {head + "Content-Length: 60000\r\n\r\n{\"event\":", head + "X: "}) {
    auto stream = ApiCall::connected(actor.socket);
    http_test::Wire wire(std::move(stream));
    EXPECT_EQ(wire.send_some(begun), begun.size());
    engines.io.poll();
    for (unsigned i = 1; i <= 3; ++i) {
      const std::string event = event_name(static_cast<unsigned>(begun.size()) * 10 + i);
      EXPECT_EQ(call(parties[0], "PUT", "/v1/events/" + event + "/features", R"({"schema":1,"x":[0.5,0]})").status,
                204U);
      EXPECT_EQ(call(actor, "POST", "/v1/decisions", R"({"event":")" + event + "\"}").json()["status"], "decided");
      EXPECT_EQ(call(rewarder, "POST", "/v1/events/" + event + "/reward", R"({"value":1})").status, 204U);
    }
  }
}

TEST_F(LiveOverHttp, AnApprenticePlaysTheCallersArm) {
  EXPECT_EQ(call(actor, "PUT", "/v1/mode", R"({"mode":"apprentice"})").status, 200U);
  EXPECT_EQ(call(actor, "POST", "/v1/decisions", R"({"event":")" + event_name(1) + "\"}").problem(), "bad-body");
  const std::string own = R"({"event":")" + event_name(2) + R"(","own_arm":"c"})";
  const auto told = call(actor, "POST", "/v1/decisions", own).json();
  EXPECT_EQ(told["arm"], "c");
  EXPECT_EQ(call(actor, "POST", "/v1/decisions", own).json(), told);
  const auto privacy = [&](const Site& site) { return call(site, "GET", "/v1/privacy").json(); };
  for (const Site* site : std::initializer_list<const Site*>{&actor, &parties[0], &rewarder}) {
    ASSERT_TRUE(engines.run_until([&] { return privacy(*site)["agreement"]["compared"] == 1; }));
    EXPECT_EQ(privacy(*site)["agreement"]["epsilon_spent"], 0);
    EXPECT_EQ(privacy(*site)["agreement"]["last"], nullptr);
    EXPECT_EQ(privacy(*site)["decisions"], 0) << "no arm was shown";
  }
  EXPECT_EQ(privacy(dealer)["agreement"], nullptr);
  actor.http.reset();
  engines.kill(engines.actor_id());
  engines.start(engines.actor_id());
  serve(actor, "actor", *engines.actor);
  ASSERT_TRUE(engines.run_until([&] { return engines.all_ready(); }));
  EXPECT_EQ(call(actor, "GET", "/v1/status").json()["mode"], "apprentice");
  EXPECT_EQ(call(actor, "PUT", "/v1/mode", R"({"mode":"online"})").status, 200U);
  EXPECT_EQ(call(actor, "POST", "/v1/decisions", R"({"event":")" + event_name(1) + "\"}").json()["status"], "decided");
  EXPECT_EQ(call(actor, "GET", "/v1/decisions/" + event_name(2)).json(), told);
}

LiveStatus learned_status(std::uint64_t learned) {
  LiveStatus status;
  status.role = "actor";
  status.learned = learned;
  status.steps = 1000;
  status.learning_ended = learned == 1000;
  return status;
}

TEST(LiveWarnings, ComeAtTheirShares) {
  const auto name = [](std::uint64_t learned) {
    const auto warnings = warnings_of(learned_status(learned), 0);
    return warnings.empty() ? std::string() : warnings.at(0).name;
  };
  EXPECT_EQ(name(799), "");
  EXPECT_EQ(name(800), "learning-80");
  EXPECT_EQ(name(949), "learning-80");
  EXPECT_EQ(name(950), "learning-95");
  EXPECT_EQ(name(999), "learning-95");
  EXPECT_EQ(name(1000), "learning-ended");
  LiveStatus unbounded = learned_status(999);
  unbounded.steps.reset();
  EXPECT_TRUE(warnings_of(unbounded, 0).empty());
}

TEST(LiveWarnings, SayThatAClockWentBack) {
  LiveStatus status = learned_status(1);
  status.clock_ahead = 7'200'000;
  ASSERT_EQ(warnings_of(status, 0).size(), 1u);
  EXPECT_THAT(warnings_of(status, 0)[0].text, ::testing::HasSubstr("the clock of actor went back by 2h"));
}

TEST(LiveWarnings, NameCertificatesThatEnd) {
  constexpr LiveTime day = 24 * 3'600'000;
  LiveStatus status = learned_status(1);
  status.certificate_until = 50 * day;
  status.peers = {{"party 1", PeerState::here, std::nullopt, "", 70 * day},
                  {"party 2", PeerState::away, std::nullopt, "", 100 * day}};
  EXPECT_TRUE(warnings_of({}, 1).empty());
  const auto warnings = warnings_of(status, 20 * day);
  ASSERT_EQ(warnings.size(), 2u);
  EXPECT_EQ(warnings[0].name, "certificate this role");
  EXPECT_THAT(warnings[0].text, ::testing::HasSubstr("the certificate of this role ends on 1970-02-20"));
  EXPECT_EQ(warnings[1].name, "certificate party 1");
  EXPECT_THAT(warnings[1].text, ::testing::HasSubstr(", in 50 days: docs/guides/live.md says how"));
}

TEST(StoreBackups, SayWhyOneIsNotMade) {
  const TestFolder folder;
  net::Io io;
  std::function<void()> copy;
  StoreBackups backups(io, folder.path() / "backups", [&](const fs::path&, const std::atomic<bool>&) { copy(); });
  const auto said = [&](std::function<void()> next) {
    copy = std::move(next);
    std::optional<std::optional<Problem>> told;
    backups.begin("monday", [&](const std::optional<Problem>& problem) { told = problem; });
    while (!told) io.run_for(std::chrono::milliseconds(1));
    return *told ? (*told)->name + ": " + (*told)->detail : "done";
  };
  EXPECT_EQ(said([] {}), "done");
  EXPECT_EQ(said([] { throw InputError("the store is damaged"); }), "backup-refused: the store is damaged");
  EXPECT_EQ(said([] { throw ResourceError("no room"); }), "backup-failed: no room");
  EXPECT_EQ(said([] { throw std::runtime_error("it broke"); }), "backup-failed: it broke");
  EXPECT_THAT(said([] { throw Interrupted(); }), StartsWith("ended: "));
}

}  // namespace
}  // namespace sotto::apps::live
