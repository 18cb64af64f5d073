#include "apps/live/api/live_routes.h"

#include "apps/live/api/dashboard.h"
#include "apps/live/api/problems.h"
#include "tests/apps/live/api/role_rig.h"
#include "tests/regex.h"

namespace sotto::apps::live {

namespace {

using namespace api_test;
using namespace std::chrono_literals;

// Checks that all labels of metrics are known labels. No known label can name an event, arm, subject or column.
bool has_known_labels(const std::string& text) {
  static const std::set<std::string> known{"outcome", "kind", "phase", "peer",  "cause",
                                           "path",    "code", "le",    "shape", "role"};
  for (const auto& label : matches_in(text, "[{,]([a-z_]+)=\"")) {
    if (!known.contains(label[1])) return false;
  }
  return true;
}

TEST(RoleApi, TellsHowItStands) {
  at_each_role([](ApiRig& rig, auto& service) {
    const auto status = rig.call("GET", "/v1/status").json();
    EXPECT_EQ(status["role"], service.the_status.role);
    EXPECT_EQ(status["mode"], "online");
    EXPECT_EQ(status["state"], "ready");
    EXPECT_EQ(status["epoch"], 2);
    EXPECT_EQ(status["number"], 812);
    EXPECT_EQ(status["model_version"], 800);
    EXPECT_EQ(status["pending"], 64);
    EXPECT_EQ(status["running"], nullptr);
    ASSERT_EQ(status["peers"].size(), 2U);
    EXPECT_EQ(status["peers"][0], (nlohmann::json{{"role", "party 1"},
                                                  {"state", "here"},
                                                  {"last_heard_s", 0.5},
                                                  {"trouble", ""},
                                                  {"certificate_until_ms", nullptr}}));
    EXPECT_EQ(status["peers"][1]["last_heard_s"], nullptr);
    EXPECT_EQ(status["peers"][1]["trouble"], "the link broke");
    const bool has_id = service.the_status.checkpoint != CheckpointId{};
    EXPECT_EQ(status["checkpoint"].is_string(), has_id);
  });
}

TEST(RoleApi, TellsWhenCertificatesEnd) {
  at_each_role([](ApiRig& rig, auto& service) {
    EXPECT_THAT(rig.call("GET", "/metrics").body, Not(HasSubstr("sotto_certificate_end_seconds")));
    service.the_status.certificate_until = 1'800'000'000'000;
    service.the_status.peers[0].certificate_until = 1'790'000'000'000;
    const auto status = rig.call("GET", "/v1/status").json();
    EXPECT_EQ(status["certificate_until_ms"], 1'800'000'000'000);
    EXPECT_EQ(status["peers"][0]["certificate_until_ms"], 1'790'000'000'000);
    EXPECT_EQ(status["peers"][1]["certificate_until_ms"], nullptr);
    const std::string text = rig.call("GET", "/metrics").body;
    EXPECT_THAT(text,
                HasSubstr("sotto_certificate_end_seconds{role=\"" + service.the_status.role + "\"} 1800000000\n"));
    EXPECT_THAT(text, HasSubstr("sotto_certificate_end_seconds{role=\"party 1\"} 1790000000\n"));
    const std::string ends = "the certificate of party 1 ends on ";
    EXPECT_THAT(rig.call("GET", "/readyz").body, Not(HasSubstr(ends)));
    rig.role_time = 1'790'000'000'000 - 3'600'000;
    EXPECT_THAT(rig.call("GET", "/readyz").body, HasSubstr(ends));
    EXPECT_THAT(rig.call("GET", "/v1/status").json()["warnings"][0].get<std::string>(), HasSubstr(ends));
  });
}

TEST(RoleApi, CopiesItsStore) {
  at_each_role([](ApiRig& rig, auto&) {
    const auto call = [&](const std::string& name) {
      return rig.call("POST", "/v1/backups", R"({"name":")" + name + "\"}");
    };
    EXPECT_EQ(call("monday").problem(), "no-backups");
    std::vector<std::string> names;
    std::vector<std::string> acts;
    std::optional<Problem> problem;
    rig.context->log = [&](LogLevel, const std::string& line) { acts.push_back(line); };
    rig.context->back_up = [&](const std::string& name, const BackupDone& done) {
      names.push_back(name);
      done(problem);
    };
    EXPECT_EQ(call("monday").json(), (nlohmann::json{{"backup", "monday"}}));
    EXPECT_THAT(acts, ::testing::ElementsAre("the store is copied to the backup monday"));
    for (const Problem& fault : {backup_under_way(), backup_refused("there is one"), backup_failed("no room")}) {
      problem = fault;
      EXPECT_EQ(call("monday").problem(), fault.name);
    }
    const std::size_t before = names.size();
    for (const char* const name : {"", ".", "..", "../up", "a/b", "/tmp/a", "a b"}) {
      EXPECT_EQ(call(name).problem(), "bad-body") << name;
    }
    EXPECT_EQ(names.size(), before);
    EXPECT_EQ(acts.size(), 1U);
  });
}

TEST(RoleApi, NamesColumnsAsTheyAreWritten) {
  RoleRig<FakeParty> party("party");
  party.rig.context->features.columns[0].name = "größe";
  EXPECT_EQ(party.rig.call("GET", "/v1/figures").json()["columns"][0]["name"], "größe");
  const ApiReply reply =
      party.rig.call("PUT", "/v1/events/" + event_name(1) + "/features", R"({"schema":3,"values":{"größe":7}})");
  EXPECT_THAT(reply.json()["detail"].get<std::string>(), HasSubstr("column \"größe\""));
}

TEST(RoleApi, SaysWhatPeopleHaveHadItDo) {
  RoleRig<FakeActor> actor("actor");
  std::vector<std::string> acts;
  actor.rig.context->log = [&](LogLevel, const std::string& line) { acts.push_back(line); };
  EXPECT_EQ(actor.rig.call("PUT", "/v1/mode", R"({"mode":"frozen"})").status, 200U);
  EXPECT_EQ(actor.rig.call("POST", "/v1/snapshots").status, 200U);
  EXPECT_EQ(actor.rig.call("POST", "/v1/drain").status, 200U);
  EXPECT_EQ(actor.rig.call("POST", "/v1/resume").status, 200U);
  EXPECT_THAT(acts, ::testing::ElementsAre("a change to mode frozen was asked over HTTP, and is answered at number 813",
                                           "a copy of the model was asked over HTTP, and is answered at number 813",
                                           "a drain was asked over HTTP, and is answered at number 813",
                                           "a resume was asked over HTTP, and is answered at number 813"));
  actor.service.trouble = CallRefusal::ended;
  EXPECT_EQ(actor.rig.call("POST", "/v1/drain").status, 503U);
  EXPECT_EQ(acts.size(), 4U) << "what was not done is not said";
}

TEST(RoleApi, SaysWhetherItIsReady) {
  at_each_role([](ApiRig& rig, auto& service) {
    EXPECT_EQ(rig.call("GET", "/readyz").json(), (nlohmann::json{{"ready", true}}));
    const std::vector<Readiness> others{Readiness::setting_up, Readiness::refused, Readiness::disk_full,
                                        Readiness::draining, Readiness::ended};
    for (const Readiness readiness : others) {
      service.the_status.readiness = readiness;
      service.the_status.why = "";
      EXPECT_NE(rig.call("GET", "/readyz").json().value("detail", ""), "");
      service.the_status.why = "party 1 has another batch_sizes";
      const ApiReply reply = rig.call("GET", "/readyz");
      EXPECT_EQ(reply.status, 503U);
      EXPECT_EQ(reply.json()["detail"], "party 1 has another batch_sizes");
      EXPECT_EQ(rig.call("GET", "/v1/status").json()["state"], name_of(readiness));
    }
  });
}

TEST(RoleApi, GivesTheCourseOfItsFigures) {
  at_each_role([](ApiRig& rig, auto& service) {
    EXPECT_EQ(rig.call("GET", "/v1/history").json()["points"], nlohmann::json::array());
    service.the_counters.since = 500;
    service.the_counters.history =
        std::make_shared<const HistoryPoints>(HistoryPoints{{1000, {3, 1}}, {11000, {7, 2}}});
    const auto history = rig.call("GET", "/v1/history").json();
    EXPECT_EQ(history["since_ms"], 500);
    EXPECT_EQ(history["points"].size(), 2U);
    EXPECT_EQ(history["points"][1]["at_ms"], 11000);
  });
  RoleRig<FakeRewarder> rewarder("rewarder");
  rewarder.service.the_counters.history = std::make_shared<const HistoryPoints>(HistoryPoints{{1000, {3, -1.5}}});
  EXPECT_EQ(rewarder.rig.call("GET", "/v1/history").json()["points"],
            (nlohmann::json{{{"at_ms", 1000}, {"learned", 3}, {"reward_sum", -1.5}}}));
}

// Counters never fall, because Prometheus reads a falling counter as a counter that was reset.
TEST(RoleApi, CountersDoNotFallWhereANumberIsUndone) {
  RoleRig<FakeActor> actor("actor");
  const auto decides = [&](std::uint64_t count) {
    actor.service.the_counters.decides = count;
    return actor.rig.call("GET", "/metrics").body;
  };
  EXPECT_THAT(decides(7), HasSubstr("sotto_batches_total{kind=\"decide\"} 7\n"));
  EXPECT_THAT(decides(6), HasSubstr("sotto_batches_total{kind=\"decide\"} 7\n"));
  EXPECT_EQ(actor.rig.call("GET", "/v1/figures").json()["decides"], 6);
  EXPECT_THAT(decides(8), HasSubstr("sotto_batches_total{kind=\"decide\"} 8\n"));
}

TEST(RoleApi, SaysWhatItWarnsOf) {
  RoleRig<FakeActor> actor("actor");
  actor.service.the_status.learned = 80;
  actor.service.the_status.steps = 100;
  const std::string says = "has learned 80 of at most 100 events (steps in [run]), 80% or more";
  EXPECT_THAT(actor.rig.call("GET", "/readyz").json()["detail"].get<std::string>(), HasSubstr(says));
  const auto status = actor.rig.call("GET", "/v1/status").json();
  EXPECT_EQ(status["learned"], 80);
  EXPECT_EQ(status["steps"], 100);
  EXPECT_THAT(status["warnings"].at(0).get<std::string>(), HasSubstr(says));
  const std::string metrics = actor.rig.call("GET", "/metrics").body;
  EXPECT_THAT(metrics, HasSubstr("sotto_learned_events 80\n"));
  EXPECT_THAT(metrics, HasSubstr("sotto_steps 100\n"));
  EXPECT_THAT(metrics, HasSubstr("sotto_learning_ended 0\n"));
  actor.service.the_status.readiness = Readiness::refused;
  actor.service.the_status.why = "party 1 is away";
  EXPECT_THAT(actor.rig.call("GET", "/readyz").json()["detail"].get<std::string>(),
              AllOf(HasSubstr("party 1 is away; "), HasSubstr(says)));
}

TEST(RoleApi, IsAliveWhereItAnswersAlsoWithAFullDisk) {
  at_each_role([](ApiRig& rig, auto& service) {
    EXPECT_EQ(rig.call("GET", "/healthz").json(), (nlohmann::json{{"alive", true}}));
    service.trouble = CallRefusal::full;
    EXPECT_EQ(rig.call("GET", "/healthz").status, 200U);
    service.trouble = CallRefusal::disk_full;
    EXPECT_EQ(rig.call("GET", "/healthz").json(), (nlohmann::json{{"alive", true}}));
    service.trouble = CallRefusal::ended;
    EXPECT_EQ(rig.call("GET", "/healthz").problem(), "ended");
    service.trouble = CallRefusal::none;
    service.is_stuck = true;
    ApiCall call = rig.begin("GET", "/healthz");
    rig.pass(1999ms);
    rig.settle(call);
    EXPECT_FALSE(call.has_answer());
    rig.pass(1ms);
    EXPECT_EQ(rig.finish(call).problem(), "not-ready");
  });
}

TEST(RoleApi, ViewsAnEvent) {
  RoleRig<FakeActor> actor("actor");
  EXPECT_EQ(actor.rig.call("GET", "/v1/events/" + event_name(1)).problem(), "unknown-event");
  EXPECT_EQ(actor.rig.call("GET", "/v1/events/1").problem(), "bad-event");
  EventView& decided = actor.service.views[live_event(1)];
  decided.state = "decided";
  decided.at = 1'700'000'000'000;
  decided.number = 812;
  decided.active = true;
  decided.arm = 2;
  EXPECT_EQ(actor.rig.call("GET", "/v1/events/" + event_name(1)).json(), (nlohmann::json{{"event", event_name(1)},
                                                                                         {"state", "decided"},
                                                                                         {"at_ms", 1'700'000'000'000},
                                                                                         {"number", 812},
                                                                                         {"learned", false},
                                                                                         {"active", true},
                                                                                         {"arm", "c"}}));
  RoleRig<FakeRewarder> rewarder("rewarder");
  EventView& unknown = rewarder.service.views[live_event(1)];
  unknown.state = "unknown";
  unknown.reward = -1;
  EXPECT_EQ(rewarder.rig.call("GET", "/v1/events/" + event_name(1)).json(), (nlohmann::json{{"event", event_name(1)},
                                                                                            {"state", "unknown"},
                                                                                            {"at_ms", nullptr},
                                                                                            {"number", nullptr},
                                                                                            {"learned", false},
                                                                                            {"reward", -1.0}}));
}

TEST(RoleApi, HasItsOwnFigures) {
  at_each_role([](ApiRig& rig, auto& service) {
    service.the_counters.since = 1'700'000'000'000;
    service.the_counters.process_since = 1'700'000'004'000;
    service.the_counters.arms = {10, 20, 30};
    service.the_counters.programs_dealt = 7;
    const auto figures = rig.call("GET", "/v1/figures").json();
    EXPECT_EQ(figures.contains("arms"), service.the_status.kind == LiveRoleKind::actor);
    EXPECT_EQ(figures.contains("rewards"), service.the_status.kind == LiveRoleKind::rewarder);
    EXPECT_EQ(figures.contains("columns"), service.the_status.kind == LiveRoleKind::party);
    EXPECT_EQ(figures.contains("programs_dealt"), service.the_status.kind == LiveRoleKind::dealer);
    EXPECT_EQ(figures["since_ms"], 1'700'000'000'000);
    EXPECT_EQ(figures["process_since_ms"], 1'700'000'004'000);
    const bool is_kept = keeps_order(service.the_status.kind);
    EXPECT_EQ(
        rig.call("GET", "/metrics").body.find("sotto_figures_start_time_seconds 1700000000\n") != std::string::npos,
        is_kept);
    const auto arms = figures.value("arms", nlohmann::json::array());
    EXPECT_TRUE(arms.empty() || arms[1] == (nlohmann::json{{"arm", "b"}, {"told", 20}}));
  });
}

TEST(RoleApi, SaysWhatIsPreparedWithoutADealer) {
  at_each_role([](ApiRig& rig, auto& service) {
    EXPECT_FALSE(rig.call("GET", "/v1/figures").json().contains("prepared"));
    EXPECT_THAT(rig.call("GET", "/metrics").body, Not(HasSubstr("sotto_programs_prepared_total")));
    if (service.the_status.kind == LiveRoleKind::dealer) return;
    service.the_counters.prepared = PreparedCounters{40, 3, 2, 1.5};
    EXPECT_EQ(rig.call("GET", "/v1/figures").json()["prepared"],
              (nlohmann::json{{"programs", 40}, {"ahead", 3}, {"waited", 2}, {"seconds_waited", 1.5}}));
    EXPECT_THAT(
        rig.call("GET", "/metrics").body,
        AllOf(HasSubstr("sotto_programs_prepared_total 40\n"), HasSubstr("sotto_programs_ahead 3\n"),
              HasSubstr("sotto_decides_waited_total 2\n"), HasSubstr("sotto_decides_waited_seconds_total 1.5\n")));
  });
}

TEST(RoleApi, HasMetricsWithoutAnythingPrivate) {
  at_each_role([](ApiRig& rig, auto& service) {
    const bool is_actor = service.the_status.kind == LiveRoleKind::actor;
    service.the_counters.decided = 11;
    service.the_counters.arms = {98765432198, 98765432198, 98765432198};
    service.the_counters.reward_sum = 98765432198;
    service.the_counters.rewards_learned = 98765432198;
    service.the_counters.epochs = {{"peer", 3}};
    service.the_counters.bytes_sent = {{"party 1", 4096}};
    const LiveObserver observer = observer_into(rig.metrics);
    observer.batch({EntryKind::learn, 16}, LiveObserver::Phase::rounds, 0.02);
    observer.sync(0.004);
    for (int i = 0; i < 2; ++i) {
      const std::string text = rig.call("GET", "/metrics").body;
      EXPECT_EQ(text.find("sotto_events_total{outcome=\"decided\"} 11\n") != std::string::npos, is_actor);
      EXPECT_THAT(text, HasSubstr("sotto_number 812\n"));
      EXPECT_THAT(text, HasSubstr("sotto_peer_up{peer=\"party 1\"} 1\n"));
      EXPECT_THAT(text, HasSubstr("sotto_peer_up{peer=\"dealer\"} 0\n"));
      EXPECT_THAT(text, HasSubstr("sotto_epochs_total{cause=\"peer\"} 3\n"));
      EXPECT_THAT(text, HasSubstr("sotto_bytes_sent_total{peer=\"party 1\"} 4096\n"));
      EXPECT_THAT(text, HasSubstr("sotto_batch_seconds_count{kind=\"learn\",phase=\"rounds\"} 1\n"));
      EXPECT_THAT(text, HasSubstr("sotto_shapes_total{kind=\"learn\",shape=\"16\"} 1\n"));
      EXPECT_THAT(text, HasSubstr("sotto_store_sync_seconds_count 1\n"));
      EXPECT_THAT(text, Not(HasSubstr("98765432198")));
      EXPECT_TRUE(has_known_labels(text)) << text;
      EXPECT_EQ(text.find("sotto_pending_events") != std::string::npos, keeps_order(service.the_status.kind));
    }
  });
}

TEST(RoleApi, HasAPageWithoutOutsideParts) {
  at_each_role([](ApiRig& rig, auto&) {
    const ApiReply reply = rig.call("GET", "/");
    EXPECT_EQ(reply.headers.at("content-type"), "text/html; charset=utf-8");
    EXPECT_THAT(reply.headers.at("content-security-policy"), HasSubstr("default-src 'none'"));
    for (const std::string outside : {"http:", "https:", "//", "@import", "innerHTML", "eval("}) {
      // A "//" may occur only where a comment of the script begins.
      std::string page = reply.body;
      for (std::size_t at; outside == "//" && (at = page.find("\n// ")) != std::string::npos;) page.erase(at, 4);
      for (std::size_t at; outside == "//" && (at = page.find("  // ")) != std::string::npos;) page.erase(at, 5);
      EXPECT_THAT(page, Not(HasSubstr(outside))) << outside;
    }
    EXPECT_THAT(reply.body, HasSubstr("</html>"));
  });
}

TEST(RoleApi, HasAPageThatFitsItsScript) {
  const std::string& page = dashboard_page();
  const auto places = matches_in(page, R"re((?:byId|tiles)\("(\w+)")re");
  for (const auto& place : places) EXPECT_THAT(page, HasSubstr("id=\"" + place[1] + "\""));
  EXPECT_GT(places.size(), 20U);
  const auto& schemas = OpenApi::instance().document()["components"]["schemas"];
  const auto has = [&](std::initializer_list<const char*> names, const std::string& field) {
    return std::any_of(names.begin(), names.end(),
                       [&](const char* name) { return schemas[name]["properties"].contains(field); });
  };
  const auto reads = matches_in(page, R"re(\b(status|figures|privacy|peer)\.(\w+))re");
  for (const auto& read : reads) {
    const std::string& object = read[1];
    const std::string& field = read[2];
    const bool is_there = object == "status"    ? has({"Status"}, field)
                          : object == "privacy" ? has({"Privacy"}, field)
                          : object == "peer"
                              ? has({"Peer"}, field)
                              : has({"ActorFigures", "PartyFigures", "RewarderFigures", "DealerFigures"}, field);
    EXPECT_TRUE(is_there) << object << "." << field;
  }
  EXPECT_GT(reads.size(), 30U);
}

}  // namespace
}  // namespace sotto::apps::live
