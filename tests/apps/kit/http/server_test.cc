#include "apps/kit/http/server.h"

#include "tests/apps/kit/http/rig.h"
#include "tests/framework.h"

namespace sotto::apps {
namespace {

using http_test::body_of;
using http_test::get;
using http_test::post;
using http_test::Rig;
using http_test::status_in;
using http_test::Wire;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

std::vector<unsigned> statuses(const std::vector<std::string>& answers) {
  std::vector<unsigned> result;
  result.reserve(answers.size());
  for (const std::string& answer : answers) result.push_back(status_in(answer));
  return result;
}

class HttpServerTest : public testing::Test {
 protected:
  void SetUp() override { rig.start(); }
  Rig rig;
};

TEST_F(HttpServerTest, AnswersAndStaysForTheNextRequest) {
  Wire wire = rig.connect();
  const auto first = rig.talk(wire, get("/hello"));
  ASSERT_EQ(first.size(), 1U);
  EXPECT_TRUE(first[0].starts_with("HTTP/1.1 200 OK\r\nDate: ")) << first[0];
  EXPECT_THAT(first[0], HasSubstr(" GMT\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n"));
  EXPECT_THAT(first[0], HasSubstr("Connection: keep-alive\r\n\r\nhello"));
  const auto second = rig.talk(wire, post("/echo", "{\"a\":1}"));
  ASSERT_EQ(second.size(), 1U);
  EXPECT_EQ(body_of(second[0]), "{\"a\":1}");
  EXPECT_FALSE(wire.closed);
  EXPECT_EQ(rig.server->connections(), 1U);
}

TEST_F(HttpServerTest, ClosesWhereTheClientAsksForIt) {
  Wire wire = rig.connect();
  const auto answers = rig.talk(wire, "GET /hello HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_THAT(answers[0], HasSubstr("Connection: close\r\n\r\nhello"));
  EXPECT_TRUE(wire.closed);
  Wire old = rig.connect();
  EXPECT_EQ(statuses(rig.talk(old, "GET /hello HTTP/1.0\r\n\r\n")), std::vector{200U});
  EXPECT_TRUE(old.closed);
}

TEST_F(HttpServerTest, AnswersPipelinedRequestsInOrder) {
  Wire wire = rig.connect();
  std::string many;
  for (int i = 0; i < 500; ++i) many += post("/echo", std::to_string(i));
  const auto answers = rig.talk(wire, many);
  ASSERT_EQ(answers.size(), 500U);
  for (std::size_t i = 0; i < answers.size(); ++i) EXPECT_EQ(body_of(answers[i]), std::to_string(i));
}

TEST_F(HttpServerTest, HoldsBackWhatFollowsARequestThatWaits) {
  Wire wire = rig.connect();
  EXPECT_TRUE(rig.talk(wire, post("/keep", "") + post("/echo", "1")).empty());
  ASSERT_EQ(rig.kept.size(), 1U);
  EXPECT_EQ(rig.server->requests(), 1U);
  EXPECT_TRUE(rig.kept[0].answer(Answer::text("late", "text/plain")));
  const auto answers = rig.talk(wire, "");
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_EQ(body_of(answers[0]), "late");
  EXPECT_EQ(body_of(answers[1]), "1");
  EXPECT_EQ(rig.server->requests(), 0U);
}

TEST_F(HttpServerTest, AnswersOnce) {
  Wire wire = rig.connect();
  rig.talk(wire, post("/keep", ""));
  const Responder copy = rig.kept.at(0);
  EXPECT_TRUE(copy.waits());
  EXPECT_TRUE(copy.answer(Answer::text("first", "text/plain")));
  EXPECT_FALSE(rig.kept[0].waits());
  EXPECT_FALSE(rig.kept[0].answer(Answer::text("second", "text/plain")));
  const auto answers = rig.talk(wire, "");
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(body_of(answers[0]), "first");
  EXPECT_TRUE(rig.talk(wire, post("/keep", "")).empty());
  EXPECT_FALSE(copy.answer(Answer::text("third", "text/plain")));
  EXPECT_TRUE(rig.talk(wire, "").empty());
}

TEST_F(HttpServerTest, IsAnsweredFromAnotherThreadByAPost) {
  Wire wire = rig.connect();
  rig.talk(wire, post("/keep", ""));
  std::thread other([&] { rig.io.post([&] { rig.kept.at(0).answer(Answer::text("posted", "text/plain")); }); });
  for (int turns = 0; rig.kept.at(0).waits() && turns < 100; ++turns) rig.io.run_for(1s);
  other.join();
  EXPECT_EQ(body_of(rig.talk(wire, "").at(0)), "posted");
}

TEST_F(HttpServerTest, AnswersForAHandlerThatDropsItsRequestOrFails) {
  Wire wire = rig.connect();
  rig.talk(wire, post("/keep", ""));
  rig.kept.clear();
  EXPECT_EQ(statuses(rig.talk(wire, "")), std::vector{500U});
  const auto failed = rig.talk(wire, get("/fail"));
  EXPECT_EQ(statuses(failed), std::vector{500U});
  EXPECT_THAT(failed.at(0), testing::Not(HasSubstr("secret")));
  EXPECT_EQ(rig.failures, std::vector<std::string>{"/fail: a secret of the handler"});
}

TEST_F(HttpServerTest, GivesALongPollItsAnswerAtItsTime) {
  Wire wire = rig.connect();
  rig.talk(wire, post("/keep", ""));
  rig.kept.at(0).answer_by(rig.time + 50ms, [] { return Answer::text("pending", "text/plain"); });
  rig.pass(49ms);
  EXPECT_TRUE(rig.talk(wire, "").empty());
  rig.pass(1ms);
  const auto answers = rig.talk(wire, "");
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(body_of(answers[0]), "pending");
  EXPECT_FALSE(rig.kept[0].answer(Answer::nothing()));
}

TEST_F(HttpServerTest, TellsAHandlerThatTheClientHasLeft) {
  Wire wire = rig.connect();
  rig.talk(wire, post("/keep", ""));
  wire.leave();
  rig.settle();
  EXPECT_EQ(rig.left, 1);
  EXPECT_FALSE(rig.kept.at(0).waits());
  rig.kept.clear();
  rig.settle();
  EXPECT_EQ(rig.server->connections(), 0U);
}

TEST_F(HttpServerTest, StillAnswersAClientThatOnlyEndedItsDirection) {
  Wire wire = rig.connect();
  rig.talk(wire, post("/keep", ""));
  wire.end();
  rig.settle();
  EXPECT_EQ(rig.left, 1);
  EXPECT_TRUE(rig.kept.at(0).answer(Answer::text("still", "text/plain")));
  const auto answers = rig.talk(wire, "");
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(body_of(answers[0]), "still");
  EXPECT_TRUE(wire.closed);
  EXPECT_EQ(rig.server->connections(), 0U);
}

TEST_F(HttpServerTest, AnswersHeadWithoutABody) {
  Wire wire = rig.connect();
  const auto answers = rig.talk(wire, "HEAD /hello HTTP/1.1\r\nHost: a\r\n\r\n");
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_THAT(answers[0], HasSubstr("Content-Length: 5\r\n"));
  EXPECT_TRUE(answers[0].ends_with("\r\n\r\n"));
  EXPECT_EQ(body_of(rig.talk(wire, get("/hello")).at(0)), "hello");
}

TEST_F(HttpServerTest, AsksForABodyThatItWants) {
  Wire wire = rig.connect();
  const std::string head =
      "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: ";
  EXPECT_EQ(statuses(rig.talk(wire, head + "2\r\n\r\n")), std::vector{100U});
  EXPECT_EQ(body_of(rig.talk(wire, "{}").at(0)), "{}");
  EXPECT_EQ(statuses(rig.talk(wire, head + "70000\r\n\r\n")), std::vector{413U}) << "without the body";
}

TEST_F(HttpServerTest, SaysWhatIsWrongAsAProblem) {
  Wire wire = rig.connect();
  const auto answers = rig.talk(wire, get("/nothing"));
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_THAT(answers[0], HasSubstr("Content-Type: application/problem+json\r\n"));
  EXPECT_EQ(body_of(answers[0]),
            "{\"type\":\"urn:sotto:not-found\",\"title\":\"There is nothing at this path\",\"status\":404}");
  EXPECT_FALSE(wire.closed) << "there was no body to skip";
  EXPECT_THAT(Answer::of({503, "queue-full", "Full", {}, {}, {}}).headers,
              testing::ElementsAre(testing::Pair("Retry-After", "1")));
  EXPECT_THAT(Answer::of({503, "queue-full", "Full", {}, {}, 7}).headers,
              testing::ElementsAre(testing::Pair("Retry-After", "7")));
}

TEST_F(HttpServerTest, TakesNoHeaderThatWouldSplitAnAnswer) {
  Wire wire = rig.connect();
  rig.talk(wire, post("/keep", ""));
  Answer answer = Answer::nothing();
  answer.headers.emplace_back("Location", "/a\r\nSet-Cookie: x");
  rig.kept.at(0).answer(answer);
  const auto answers = rig.talk(wire, "");
  EXPECT_EQ(statuses(answers), std::vector{500U});
  EXPECT_THAT(answers.at(0), testing::Not(HasSubstr("Set-Cookie")));
}

TEST_F(HttpServerTest, CountsRequestsByPatternAndStatus) {
  Wire wire = rig.connect();
  rig.talk(wire, get("/hello") + get("/hello") + get("/" + std::string(50, 'x')));
  const std::string text = rig.metrics.text();
  EXPECT_THAT(text, HasSubstr("sotto_http_requests_total{path=\"/hello\",code=\"200\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("sotto_http_requests_total{path=\"other\",code=\"404\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("sotto_http_seconds_count{path=\"/hello\"} 2\n"));
  EXPECT_THAT(text, testing::Not(HasSubstr("xxx"))) << "no label is a client's";
}

TEST_F(HttpServerTest, ServesManyClientsAtOnce) {
  std::vector<Wire> wires;
  wires.reserve(200);
  for (int i = 0; i < 200; ++i) wires.push_back(rig.connect());
  for (std::size_t i = 0; i < wires.size(); ++i) wires[i].send(post("/echo", std::to_string(i)));
  rig.settle();
  for (std::size_t i = 0; i < wires.size(); ++i) {
    wires[i].read();
    ASSERT_FALSE(wires[i].closed) << i;
    EXPECT_EQ(body_of(wires[i].got), std::to_string(i));
  }
}

TEST_F(HttpServerTest, StopsInOrder) {
  Wire idle = rig.connect();
  rig.talk(idle, get("/hello"));
  Wire working = rig.connect();
  rig.talk(working, post("/keep", ""));
  Wire waiting = rig.connect();
  rig.talk(waiting, post("/keep", ""));
  rig.server->stop(10s);
  rig.settle();
  idle.read();
  EXPECT_TRUE(idle.closed);
  EXPECT_FALSE(rig.server->stopped());
  rig.kept.at(0).answer(Answer::text("done", "text/plain"));
  const auto answers = rig.talk(working, "");
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_THAT(answers[0], HasSubstr("Connection: close"));
  EXPECT_EQ(body_of(answers[0]), "done");
  Wire late = rig.connect();
  rig.settle();
  late.read();
  EXPECT_TRUE(late.closed);
  rig.pass(9'999ms);
  EXPECT_TRUE(rig.talk(waiting, "").empty());
  rig.pass(1ms);
  const auto last = rig.talk(waiting, "");
  ASSERT_EQ(statuses(last), std::vector{503U});
  EXPECT_THAT(last[0], HasSubstr("Retry-After: 1\r\n"));
  EXPECT_FALSE(rig.kept.at(1).answer(Answer::nothing()));
  working.leave();
  waiting.leave();
  rig.settle();
  EXPECT_TRUE(rig.server->stopped());
}

TEST_F(HttpServerTest, MayBeStoppedFromWithinAHandler) {
  Rig other;
  other.add("POST", "/stop", BodyKind::none, [&](Request&&, const Responder& responder) {
    other.server->stop(1s);
    responder.answer(Answer::nothing());
  });
  other.start();
  Wire wire = other.connect();
  EXPECT_EQ(statuses(other.talk(wire, post("/stop", ""))), std::vector{204U});
  EXPECT_TRUE(wire.closed);
  wire.leave();
  other.settle();
  EXPECT_TRUE(other.server->stopped());
}

TEST_F(HttpServerTest, MayEndBeforeItsResponders) {
  Wire wire = rig.connect();
  rig.talk(wire, post("/keep", ""));
  rig.server.reset();
  EXPECT_EQ(rig.left, 1);
  EXPECT_FALSE(rig.kept.at(0).answer(Answer::nothing()));
  wire.read();
  EXPECT_TRUE(wire.closed);
}

}  // namespace
}  // namespace sotto::apps
