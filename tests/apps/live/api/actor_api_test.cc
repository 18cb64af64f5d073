#include "apps/live/api/live_routes.h"

#include "tests/apps/live/api/fakes.h"
#include "tests/apps/live/api/rig.h"

namespace sotto::apps::live {
namespace {

using namespace api_test;
using namespace std::chrono_literals;

TEST_F(ActorApi, WaitsAndTellsTheArm) {
  ApiCall call = rig.begin("POST", "/v1/decisions", decision(1));
  EXPECT_FALSE(call.has_answer());
  actor.decide(1, 2);
  const ApiReply reply = rig.finish(call);
  EXPECT_EQ(reply.status, 200U);
  EXPECT_EQ(reply.json(), (nlohmann::json{{"event", event_name(1)},
                                          {"status", "decided"},
                                          {"arm", "c"},
                                          {"arm_index", 2},
                                          {"number", 812},
                                          {"epsilon", 0.3},
                                          {"least_probability", 0.3 / 3}}));
}

TEST_F(ActorApi, TellsTheBaselineAsSuch) {
  ApiCall call = rig.begin("POST", "/v1/decisions", decision(1, R"(,"deadline_ms":50)"));
  actor.decide(1, 0, DecisionState::baseline);
  EXPECT_EQ(rig.finish(call).json(),
            (nlohmann::json{{"event", event_name(1)}, {"status", "baseline"}, {"arm", "a"}, {"arm_index", 0}}));
  ASSERT_EQ(actor.asked.size(), 1U);
  EXPECT_EQ(actor.asked[0].deadline, 50U);
}

// The service does not know the probability with which the caller plays its own arm.
TEST_F(ActorApi, SaysWhatBecameOfTheCallersArm) {
  const auto told = [&](unsigned number, DecisionState state, OwnArm own) {
    ApiCall call = rig.begin("POST", "/v1/decisions", decision(number, R"(,"own_arm":"b")"));
    const OrderNumber batch = state == DecisionState::decided ? 812 : 0;
    actor.tell(live_event(number),
               AskReply{AskStatus::answered, LiveAnswer{live_event(number), state, 1, batch, own}, false});
    return rig.finish(call).json();
  };
  EXPECT_EQ(told(1, DecisionState::decided, OwnArm::played), (nlohmann::json{{"event", event_name(1)},
                                                                             {"status", "decided"},
                                                                             {"arm", "b"},
                                                                             {"arm_index", 1},
                                                                             {"own_arm", "played"},
                                                                             {"number", 812}}));
  const auto ignored = told(2, DecisionState::decided, OwnArm::ignored);
  EXPECT_EQ(ignored["own_arm"], "ignored");
  EXPECT_EQ(ignored["epsilon"], 0.3);
  EXPECT_EQ(told(3, DecisionState::baseline, OwnArm::played)["own_arm"], "played");
  EXPECT_FALSE(told(4, DecisionState::decided, OwnArm::unknown).contains("epsilon"));
}

TEST_F(ActorApi, PassesAllFieldsOn) {
  static_cast<void>(
      decided(7, 1, R"(,"subject":"p-81f2","deadline_ms":50,"activate":false,"own_arm":"b","not_arms":["c","a"])"));
  ASSERT_EQ(actor.asked.size(), 1U);
  const DecisionRequest& asked = actor.asked[0];
  EXPECT_EQ(asked.event, live_event(7));
  EXPECT_EQ(asked.subject, "p-81f2");
  EXPECT_EQ(asked.deadline, 50U);
  EXPECT_FALSE(asked.activate);
  EXPECT_EQ(asked.own_arm, 1);
  EXPECT_EQ(asked.barred, (std::vector<std::uint16_t>{0, 2}));
}

TEST_F(ActorApi, MakesAnEventWhereThereIsNone) {
  std::set<EventId> events;
  for (int i = 0; i < 20; ++i) {
    const ApiReply reply = rig.call("POST", "/v1/decisions", R"({"wait_ms":0})");
    EXPECT_EQ(reply.status, 202U);
    EXPECT_EQ(reply.headers.at("location"), "/v1/decisions/" + reply.json()["event"].get<std::string>());
    events.insert(*parse_event(reply.json()["event"].get<std::string>()));
  }
  EXPECT_EQ(events.size(), 20U);
}

TEST_F(ActorApi, TakesAUuidAsTheSameEvent) {
  const std::string digits = "5f0c1e2d3b4a59687786a5b4c3d2e1f0";
  const std::string uuid = "5f0c1e2d-3b4a-5968-7786-a5b4c3d2e1f0";
  const ApiReply asked = rig.call("POST", "/v1/decisions", R"({"wait_ms":0,"event":")" + uuid + "\"}");
  EXPECT_EQ(asked.status, 202U);
  EXPECT_EQ(asked.json()["event"], digits);
  ASSERT_EQ(actor.asked.size(), 1U);
  EXPECT_EQ(event_text(actor.asked.front().event), digits);
  EXPECT_EQ(parse_event(uuid), parse_event(digits));
  EXPECT_EQ(rig.call("GET", "/v1/decisions/" + uuid).status, rig.call("GET", "/v1/decisions/" + digits).status);
  for (const std::string& wrong :
       std::vector<std::string>{"5f0c1e2d-3b4a-5968-7786-a5b4c3d2e1f", "5f0c1e2-d3b4a-5968-7786-a5b4c3d2e1f0",
                                digits + "0000", "5f0c1e2d-3b4a-5968-7786-A5B4C3D2E1F0", uuid + uuid, "visit-1"}) {
    const ApiReply refused = rig.call("POST", "/v1/decisions", R"({"event":")" + wrong + "\"}");
    EXPECT_EQ(refused.problem(), "bad-body") << wrong;
    EXPECT_THAT(refused.json()["detail"].get<std::string>(),
                HasSubstr("field \"event\": an event is 32 hex digits in lower case, or a UUID such as"))
        << wrong;
  }
}

TEST_F(ActorApi, AnswersTheSameCallTheSame) {
  const ApiReply first = decided(1, 1);
  for (int i = 0; i < 5; ++i) {
    const ApiReply again = rig.call("POST", "/v1/decisions", decision(1, R"(,"wait_ms":10)"));
    EXPECT_EQ(again.status, 200U);
    EXPECT_EQ(again.body, first.body);
  }
  EXPECT_EQ(actor.asked.size(), 1U);
  const ApiReply barred = decided(2, 1, R"(,"not_arms":["a","c"])");
  EXPECT_EQ(rig.call("POST", "/v1/decisions", decision(2, R"(,"not_arms":["c","a"])")).body, barred.body);
}

TEST_F(ActorApi, TwoCallersOfOneEventAreBothTold) {
  ApiCall first = rig.begin("POST", "/v1/decisions", decision(1));
  ApiCall second = rig.begin("POST", "/v1/decisions", decision(1));
  ApiCall third = rig.begin("GET", "/v1/decisions/" + event_name(1) + "?wait_ms=1000");
  actor.decide(1, 1);
  const std::string told = rig.finish(first).body;
  EXPECT_EQ(rig.finish(second).body, told);
  EXPECT_EQ(rig.finish(third).body, told);
}

TEST_F(ActorApi, TellsWhereToAskWhenTheWaitIsOver) {
  ApiCall call = rig.begin("POST", "/v1/decisions", decision(1, R"(,"wait_ms":100)"));
  rig.pass(99ms);
  rig.settle(call);
  EXPECT_FALSE(call.has_answer());
  rig.pass(1ms);
  const ApiReply reply = rig.finish(call);
  EXPECT_EQ(reply.status, 202U);
  EXPECT_EQ(reply.headers.at("location"), "/v1/decisions/" + event_name(1));
  actor.decide(1, 1);
  EXPECT_EQ(rig.call("GET", reply.headers.at("location")).json()["arm"], "b");
}

TEST_F(ActorApi, WaitsThirtySecondsAtMost) {
  ApiCall call = rig.begin("POST", "/v1/decisions", decision(1));
  rig.pass(30s);
  EXPECT_EQ(rig.finish(call).status, 202U);
}

TEST_F(ActorApi, PollsLong) {
  EXPECT_EQ(rig.call("GET", "/v1/decisions/" + event_name(1)).problem(), "unknown-event");
  EXPECT_EQ(rig.call("GET", "/v1/decisions/" + event_name(1) + "?wait_ms=1000").status, 404U);
  static_cast<void>(rig.call("POST", "/v1/decisions", decision(1, R"(,"wait_ms":0)")));
  EXPECT_EQ(rig.call("GET", "/v1/decisions/" + event_name(1)).json()["status"], "pending");
  ApiCall poll = rig.begin("GET", "/v1/decisions/" + event_name(1) + "?wait_ms=1000");
  rig.pass(1000ms);
  EXPECT_EQ(rig.finish(poll).json(), (nlohmann::json{{"event", event_name(1)}, {"status", "pending"}}));
  ApiCall next = rig.begin("GET", "/v1/decisions/" + event_name(1) + "?wait_ms=30000");
  actor.decide(1, 0);
  EXPECT_EQ(rig.finish(next).json()["status"], "decided");
  for (const std::string bad : {"30001", "-1", "1.5", "x", ""}) {
    EXPECT_EQ(rig.call("GET", "/v1/decisions/" + event_name(1) + "?wait_ms=" + bad).status, 400U) << bad;
  }
  EXPECT_EQ(rig.call("GET", "/v1/decisions/" + event_name(1) + "?wait=1").status, 400U);
}

TEST_F(ActorApi, SaysWhenToAskAgain) {
  actor.refuses = AskStatus::queue_full;
  ApiReply reply = rig.call("POST", "/v1/decisions", decision(1));
  EXPECT_EQ(reply.status, 503U);
  EXPECT_EQ(reply.problem(), "queue-full");
  EXPECT_EQ(reply.headers.at("retry-after"), "1");
  // The actor has given 100 answers a second, and 2,000 events wait.
  rig.pass(10s);
  actor.the_counters.decided = 900;
  actor.the_counters.baselines = 100;
  actor.the_status.queue = 2000;
  EXPECT_EQ(rig.call("POST", "/v1/decisions", decision(1)).headers.at("retry-after"), "20");
  rig.pass(1s);
  EXPECT_EQ(rig.call("POST", "/v1/decisions", decision(1)).headers.at("retry-after"), "60");
}

TEST_F(ActorApi, DecidesManyInTheOrderOfTheirLines) {
  std::string body;
  for (unsigned i = 0; i < 50; ++i) body += decision(i) + "\n";
  body += "{\"event\":7}\n\n" + decision(50, R"(,"wait_ms":0)") + "\n" + decision(3) + "\r\n" +
          decision(4, R"(,"subject":"s")");
  ApiCall call = rig.begin("POST", "/v1/decisions:batch", body);
  for (unsigned i = 50; i-- > 0;)
    actor.decide(i, static_cast<std::uint16_t>(i % 3), i % 2 ? DecisionState::decided : DecisionState::baseline);
  const ApiReply reply = rig.finish(call);
  EXPECT_EQ(reply.headers.at("content-type"), "application/x-ndjson");
  const auto lines = reply.lines();
  ASSERT_EQ(lines.size(), 55U);
  for (unsigned i = 0; i < 50; ++i) {
    EXPECT_EQ(lines[i]["event"], event_name(i));
    EXPECT_EQ(lines[i]["arm_index"], i % 3);
    EXPECT_EQ(lines[i]["status"], i % 2 ? "decided" : "baseline");
  }
  for (unsigned i = 50; i < 53; ++i) EXPECT_EQ(lines[i]["status"], 400) << i;
  EXPECT_EQ(lines[53], lines[3]);
  EXPECT_EQ(lines[54]["status"], 409);
}

TEST_F(ActorApi, ABatchEndsWithItsWait) {
  ApiCall call = rig.begin("POST", "/v1/decisions:batch?wait_ms=20", decision(1) + "\n" + decision(2) + "\n-");
  actor.decide(2, 1);
  rig.settle(call);
  EXPECT_FALSE(call.has_answer());
  rig.pass(20ms);
  const auto lines = rig.finish(call).lines();
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0]["status"], "pending");
  EXPECT_EQ(lines[1]["arm"], "b");
  EXPECT_EQ(lines[2]["status"], 400);
  const auto at_once = rig.call("POST", "/v1/decisions:batch?wait_ms=0", decision(3) + "\n" + decision(2)).lines();
  ASSERT_EQ(at_once.size(), 2U);
  EXPECT_EQ(at_once[0]["status"], "pending");
  EXPECT_EQ(at_once[1]["status"], "decided");
}

TEST_F(ActorApi, ActivatesAnEvent) {
  const std::string path = "/v1/events/" + event_name(9) + "/activate";
  EXPECT_EQ(rig.call("POST", path).status, 204U);
  EXPECT_EQ(actor.activated, std::vector<EventId>{live_event(9)});
  actor.activation = ActivateStatus::unknown;
  EXPECT_EQ(rig.call("POST", path).problem(), "unknown-event");
  actor.activation = ActivateStatus::late;
  const ApiReply late = rig.call("POST", path);
  EXPECT_EQ(late.status, 410U);
  EXPECT_EQ(late.problem(), "late");
  actor.activation = ActivateStatus::not_learned;
  EXPECT_EQ(rig.call("POST", path).status, 410U);
  EXPECT_EQ(rig.call("POST", path).problem(), "not-learned");
  actor.activation = ActivateStatus::not_decided;
  EXPECT_EQ(rig.call("POST", path).status, 409U);
  EXPECT_EQ(rig.call("POST", path, "{}").status, 413U);
  EXPECT_EQ(rig.call("GET", path).status, 405U);
}

TEST_F(ActorApi, DrainsResumesAndChangesTheMode) {
  actor.mark.id.fill(std::byte{0xab});
  const nlohmann::json mark{{"number", 813}, {"id", std::string(64, 'a')}};
  const ApiReply drained = rig.call("POST", "/v1/drain");
  EXPECT_EQ(drained.json()["number"], 813);
  EXPECT_TRUE(actor.the_status.draining);
  EXPECT_EQ(rig.call("POST", "/v1/resume").json()["number"], 813);
  EXPECT_FALSE(actor.the_status.draining);
  EXPECT_EQ(rig.call("POST", "/v1/snapshots").json()["number"], 813);
  actor.the_status.dropped = 7;
  const nlohmann::json status = rig.call("GET", "/v1/status").json();
  EXPECT_EQ(status["snapshots"][0]["number"], 813);
  EXPECT_EQ(status["snapshots"][0]["learned"], 5);
  EXPECT_EQ(status["dropped"], 7);
  EXPECT_EQ(rig.call("PUT", "/v1/mode", R"({"mode":"frozen"})").status, 200U);
  EXPECT_EQ(actor.the_status.mode, LiveMode::frozen);
  actor.trouble = CallRefusal::learning_ended;
  const ApiReply ended = rig.call("PUT", "/v1/mode", R"({"mode":"online"})");
  EXPECT_EQ(ended.status, 409U);
  EXPECT_EQ(ended.problem(), "learning-ended");
  actor.trouble = CallRefusal::none;
  for (const std::string bad : {R"({"mode":"off"})", "{}", R"({"mode":1})", R"({"mode":"online","x":1})"}) {
    EXPECT_EQ(rig.call("PUT", "/v1/mode", bad).problem(), "bad-body");
  }
}

TEST_F(ActorApi, ServesOthersMeanwhile) {
  const std::filesystem::path socket = rig.folder.path() / "api.sock";
  const std::string head = "POST /v1/decisions HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n";
  std::vector<http_test::Wire> wires;
  const auto say = [&](const std::string& text) {
    wires.emplace_back(ApiCall::connected(socket));
    static_cast<void>(wires.back().send_some(text));
    rig.pass(0ms);
  };
  say(head + "Content-Length: 60000\r\n\r\n{\"event\":");
  say(head + "Transfer-Encoding: chunked\r\n\r\n5\r\n{\"eve");
  for (int i = 0; i < 1000; ++i) say(i % 2 == 0 ? "" : "POST /v1/dec");
  EXPECT_LE(rig.server->connections(), 256U);
  EXPECT_EQ(decided(1, 1).status, 200U);
  rig.pass(60s);
  wires[0].read();
  EXPECT_EQ(http_test::status_in(wires[0].got), 408U);
  EXPECT_EQ(decided(2, 1).status, 200U);
  say(head + "Transfer-Encoding: chunked\r\n\r\n");
  for (int i = 0; i < 10 && wires.back().got.empty(); ++i) {
    static_cast<void>(wires.back().send_some("4000\r\n" + std::string(0x4000, ' ') + "\r\n"));
    rig.pass(0ms);
    wires.back().read();
  }
  EXPECT_EQ(http_test::status_in(wires.back().got), 413U);
}

TEST_F(ActorApi, ForgetsClientsThatLeave) {
  ApiCall call = rig.begin("POST", "/v1/decisions", decision(1));
  call.leave();
  rig.pass(0ms);
  actor.decide(1, 1);
  rig.pass(0ms);
  EXPECT_EQ(rig.server->requests(), 0U);
  EXPECT_EQ(rig.call("GET", "/v1/decisions/" + event_name(1)).json()["arm"], "b");
  EXPECT_TRUE(rig.failures.empty());
}

}  // namespace
}  // namespace sotto::apps::live
