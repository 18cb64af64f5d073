#include "apps/live/api/live_routes.h"

#include "tests/apps/live/api/fakes.h"
#include "tests/apps/live/api/rig.h"

namespace sotto::apps::live {
namespace {

using namespace api_test;
using namespace std::chrono_literals;

TEST_F(ActorApi, RefusesAnotherBodyOfTheSameEvent) {
  static_cast<void>(decided(1, 1));
  const ApiReply reply = rig.call("POST", "/v1/decisions", decision(1, R"(,"subject":"p-1")"));
  EXPECT_EQ(reply.status, 409U);
  EXPECT_EQ(reply.problem(), "event-conflict");
  EXPECT_EQ(reply.json()["event"], event_name(1));
}

// Status 202 promises that the event will get its answer even if the process crashes, so the event must be stored
// first.
TEST_F(ActorApi, PromisesNothingThatIsNotStored) {
  ApiCall call = rig.begin("POST", "/v1/decisions", decision(1, R"(,"wait_ms":100)"));
  EXPECT_TRUE(actor.stored.empty());
  rig.pass(100ms);
  EXPECT_EQ(rig.finish(call).status, 202U);
  EXPECT_THAT(actor.stored, ElementsAre(live_event(1)));
  EXPECT_EQ(rig.call("POST", "/v1/decisions", decision(2, R"(,"wait_ms":0)")).status, 202U);
  EXPECT_THAT(actor.stored, ElementsAre(live_event(1), live_event(2)));
  actor.stores_nothing = true;
  const auto expect_nothing = [&](ApiCall& one) {
    rig.settle(one);
    EXPECT_FALSE(one.has_answer());
    rig.pass(1999ms);
    rig.settle(one);
    EXPECT_FALSE(one.has_answer());
    rig.pass(1ms);
    return rig.finish(one);
  };
  ApiCall at_once = rig.begin("POST", "/v1/decisions", decision(3, R"(,"wait_ms":0)"));
  const ApiReply none = expect_nothing(at_once);
  EXPECT_EQ(none.problem(), "not-ready");
  EXPECT_EQ(none.json()["event"], event_name(3));
  ApiCall later = rig.begin("POST", "/v1/decisions", decision(4, R"(,"wait_ms":100)"));
  rig.pass(100ms);
  EXPECT_EQ(expect_nothing(later).status, 503U);
  ApiCall batch = rig.begin("POST", "/v1/decisions:batch?wait_ms=0", decision(5) + "\n" + decision(6));
  for (const auto& line : expect_nothing(batch).lines()) EXPECT_EQ(line["status"], 503);
  ApiCall told = rig.begin("POST", "/v1/decisions", decision(7, R"(,"wait_ms":100)"));
  rig.pass(100ms);
  actor.decide(7, 1);
  EXPECT_EQ(rig.finish(told).json()["arm"], "b");
}

TEST_F(ActorApi, SaysWhyNothingIsTaken) {
  const std::vector<std::pair<AskStatus, std::pair<unsigned, std::string>>> expected{
      {AskStatus::draining, {503, "draining"}},
      {AskStatus::already_decided, {409, "already-decided"}},
      {AskStatus::subject_waits, {409, "subject-in-batch"}},
      {AskStatus::lacks_own_arm, {400, "bad-body"}},
      {AskStatus::invalid, {400, "bad-body"}}};
  for (const auto& [status, problem] : expected) {
    actor.refuses = status;
    const ApiReply reply = rig.call("POST", "/v1/decisions", decision(1));
    EXPECT_EQ(reply.status, problem.first);
    EXPECT_EQ(reply.problem(), problem.second);
    EXPECT_EQ(reply.json()["event"], event_name(1));
  }
}

TEST_F(ActorApi, TellsTroubleOfTheRole) {
  static_cast<void>(decided(1, 1));
  const std::vector<std::pair<CallRefusal, std::string>> expected{
      {CallRefusal::full, "queue-full"}, {CallRefusal::disk_full, "disk-full"}, {CallRefusal::ended, "ended"}};
  for (const auto& [trouble, name] : expected) {
    actor.trouble = trouble;
    for (const ApiReply& reply :
         {rig.call("POST", "/v1/decisions", decision(2)), rig.call("GET", "/v1/decisions/" + event_name(1)),
          rig.call("POST", "/v1/events/" + event_name(1) + "/activate"), rig.call("POST", "/v1/drain"),
          rig.call("GET", "/v1/events/" + event_name(1))}) {
      EXPECT_EQ(reply.status, 503U);
      EXPECT_EQ(reply.problem(), name);
      EXPECT_EQ(reply.headers.at("retry-after"), trouble == CallRefusal::disk_full ? "10" : "1");
    }
    const auto lines = rig.call("POST", "/v1/decisions:batch", decision(2) + "\n" + decision(3)).lines();
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_EQ(lines[1]["status"], 503);
    EXPECT_EQ(lines[1]["event"], event_name(3));
  }
}

TEST_F(ActorApi, SaysThatThereIsNoAnswer) {
  ApiCall call = rig.begin("POST", "/v1/decisions", decision(1));
  actor.tell(live_event(1), AskReply{AskStatus::pending, {}, true});
  const ApiReply reply = rig.finish(call);
  EXPECT_EQ(reply.status, 503U);
  EXPECT_EQ(reply.problem(), "no-decision");
  EXPECT_EQ(rig.call("GET", "/v1/decisions/" + event_name(1)).problem(), "no-decision");
}

TEST_F(ActorApi, RefusesBodiesThatAreNone) {
  const std::string long_text(1000, 'a');
  for (const std::string& body : std::vector<std::string>{"{",
                                                          "[]",
                                                          "null",
                                                          "{}x",
                                                          "{\"event\":1}",
                                                          R"({"event":"00"})",
                                                          R"({"event":")" + long_text + "\"}",
                                                          R"({"event":"0011223344556677889900AABBCCDDEE"})",
                                                          R"({"deadline_ms":0})",
                                                          R"({"deadline_ms":-1})",
                                                          R"({"deadline_ms":1e999})",
                                                          R"({"deadline_ms":NaN})",
                                                          R"({"deadline_ms":86400001})",
                                                          R"({"wait_ms":30001})",
                                                          R"({"activate":1})",
                                                          R"({"own_arm":"z"})",
                                                          R"({"own_arm":"a","not_arms":["a"]})",
                                                          R"({"not_arms":["z"]})",
                                                          R"({"not_arms":["a","a"]})",
                                                          R"({"not_arms":["a","b","c"]})",
                                                          R"({"not_arms":"a"})",
                                                          R"({"subject":""})",
                                                          R"({"subject":"two words"})",
                                                          R"({"subject":")" + std::string(65, 'a') + "\"}",
                                                          R"({"arm":"a"})",
                                                          R"({"event":null})",
                                                          "{\"subject\":\"\xff\"}",
                                                          std::string("{}\0", 3)}) {
    const ApiReply reply = rig.call("POST", "/v1/decisions", body);
    EXPECT_EQ(reply.status, 400U) << body;
    EXPECT_EQ(reply.problem(), "bad-body") << body;
  }
  EXPECT_TRUE(actor.asked.empty());
}

TEST_F(ActorApi, RefusesRequestsThatAreNone) {
  EXPECT_EQ(rig.call("POST", "/v1/decisions", "{}", "text/plain").status, 415U);
  EXPECT_EQ(rig.call("POST", "/v1/decisions", std::string(70'000, ' ')).status, 413U);
  EXPECT_EQ(rig.call("GET", "/v1/decisions").status, 405U);
  EXPECT_EQ(rig.call("GET", "/v1/decisions/" + std::string(32, 'A')).problem(), "bad-event");
  EXPECT_EQ(rig.call("GET", "/v1/decisions/abc").status, 400U);
  EXPECT_EQ(rig.call("GET", "/v1/decisions/" + std::string(200, 'a')).status, 404U);
  EXPECT_EQ(rig.call("GET", "/v1/decisions/" + std::string(5'000, 'a')).status, 414U);
  EXPECT_EQ(rig.call("GET", "/v1/decisions/" + std::string(1 << 20, 'a')).status, 431U);
  EXPECT_EQ(rig.call("GET", "/v2").status, 404U);
  EXPECT_TRUE(rig.failures.empty());
}

TEST_F(ActorApi, BoundsABatch) {
  EXPECT_EQ(rig.call("POST", "/v1/decisions:batch", "").status, 400U);
  std::string many;
  for (int i = 0; i < 4097; ++i) many += "{}\n";
  EXPECT_EQ(rig.call("POST", "/v1/decisions:batch", many).status, 413U);
  many.resize(many.size() - 3);
  EXPECT_EQ(rig.call("POST", "/v1/decisions:batch?wait_ms=0", many).lines().size(), 4096U);
  EXPECT_EQ(actor.asked.size(), 4096U);
  EXPECT_EQ(rig.call("POST", "/v1/decisions:batch", "{}", "application/json").status, 415U);
}

}  // namespace
}  // namespace sotto::apps::live
