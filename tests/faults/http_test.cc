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
using namespace std::chrono_literals;

void expect_served(Rig& rig, const std::string& network = "someone else") {
  Wire wire = rig.connect(network);
  const auto answers = rig.talk(wire, get("/hello"));
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(status_in(answers[0]), 200U);
}

TEST(HttpFaults, ABodyThatNeverEnds) {
  Rig rig;
  rig.start();
  const std::string head = "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n";
  const std::string piece(65536, 'x');
  const std::vector<std::string> starts{head + "Content-Length: 999999999999\r\n\r\n",
                                        head + "Transfer-Encoding: chunked\r\n\r\nfffffffffff\r\n"};
  for (const std::string& start : starts) {
    Wire wire = rig.connect();
    wire.send(start);
    std::size_t sent = 0;
    std::size_t most_held = 0;
    while (rig.server->connections() > 0) {
      sent += wire.send_some(piece);
      rig.io.poll();
      most_held = std::max(most_held, rig.server->held_bytes());
      wire.read();
      ASSERT_LT(sent, std::size_t{64} << 20);
    }
    EXPECT_EQ(status_in(wire.got), 413U);
    EXPECT_LT(most_held, 4 * longest_body);
  }
  EXPECT_EQ(rig.server->connections(), 0U);
  expect_served(rig);
}

TEST(HttpFaults, AHeaderThatNeverEnds) {
  Rig rig;
  rig.start();
  for (const std::string start : {"GET /", "GET /hello HTTP/1.1\r\nHost: a\r\na: "}) {
    Wire wire = rig.connect();
    const auto answers = rig.talk(wire, start + std::string(40'000, 'x'));
    ASSERT_FALSE(answers.empty());
    EXPECT_EQ(status_in(answers[0]), 431U);
    EXPECT_TRUE(wire.closed);
  }
  expect_served(rig);
}

TEST(HttpFaults, AByteAtATime) {
  Rig rig;
  rig.start();
  Wire quick = rig.connect();
  for (const char c : post("/echo", "[1]")) {
    quick.send({&c, 1});
    rig.settle();
  }
  quick.read();
  EXPECT_EQ(body_of(quick.got), "[1]");
  // Bytes that keep arriving do not extend the deadline of the header or the deadline of the body.
  const std::string request = post("/echo", std::string(100, ' '));
  for (const std::size_t before : {std::size_t{20}, request.size() - 50}) {
    Wire slow = rig.connect();
    slow.send(request.substr(0, before));
    rig.settle();
    std::size_t sent = before;
    for (int second = 0; second < 61 && !slow.closed && slow.got.empty(); ++second) {
      if (sent + 1 < request.size()) slow.send(request.substr(sent++, 1));
      rig.pass(1s);
      slow.read();
      if (before == 20 && second < 9) {
        ASSERT_TRUE(slow.got.empty());
      }
    }
    EXPECT_EQ(status_in(slow.got), 408U);
    EXPECT_TRUE(slow.closed);
  }
}

TEST(HttpFaults, AThousandIdleConnections) {
  Rig rig({.most_connections = 32});
  rig.start();
  std::vector<Wire> crowd;
  crowd.reserve(1000);
  for (int i = 0; i < 1000; ++i) {
    crowd.push_back(rig.connect("one network"));
    ASSERT_LE(rig.server->connections(), 32U);
  }
  expect_served(rig);
  rig.pass(10s);
  EXPECT_LE(rig.server->connections(), 1U) << "the one that was served is idle for longer";
}

TEST(HttpFaults, AllPlacesTakenByRequests) {
  Rig rig({.most_connections = 8});
  rig.start();
  std::vector<Wire> polls;
  polls.reserve(8);
  for (int i = 0; i < 8; ++i) {
    polls.push_back(rig.connect("one network"));
    EXPECT_TRUE(rig.talk(polls.back(), post("/keep", "")).empty());
  }
  Wire ninth = rig.connect("one network");
  const auto told = rig.talk(ninth, "");
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(status_in(told[0]), 503U);
  EXPECT_THAT(told[0], ::testing::HasSubstr("Retry-After: 1\r\n"));
  EXPECT_EQ(rig.server->requests(), 8U);
  // All places are taken by one network. To make room for a client from another network, the server answers one of the
  // waiting requests with 503.
  expect_served(rig, "another network");
  EXPECT_EQ(rig.server->requests(), 7U);
  std::size_t told_to_go = 0;
  for (Wire& poll : polls) {
    poll.read();
    if (!poll.got.empty()) told_to_go += status_in(poll.got) == 503U ? 1U : 100U;
  }
  EXPECT_EQ(told_to_go, 1U);
}

TEST(HttpFaults, ASlowReader) {
  Rig rig;
  rig.add("GET", "/much", BodyKind::none, [](Request&&, const Responder& responder) {
    responder.answer(Answer::text(std::string(std::size_t{4} << 20, 'x'), "text/plain"));
  });
  rig.start();
  Wire wire = rig.connect();
  // The client asks again and again and reads nothing. The server keeps one answer, and the further requests wait in
  // buffers of the client's system.
  std::string requests;
  for (int i = 0; i < 1000; ++i) requests += get("/much");
  wire.send_some(requests);
  rig.settle();
  EXPECT_LT(rig.server->held_bytes(), std::size_t{5} << 20);
  expect_served(rig);
  rig.pass(59s);
  EXPECT_GT(rig.server->held_bytes(), std::size_t{3} << 20);
  rig.pass(1s);
  EXPECT_LT(rig.server->held_bytes(), std::size_t{1} << 20);
}

TEST(HttpFaults, ManyLargeBodiesAtOnce) {
  Rig rig({.most_held_bytes = std::size_t{1} << 20});
  rig.start();
  std::vector<Wire> wires;
  wires.reserve(50);
  const std::string head =
      "POST /echo:batch HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-ndjson\r\nContent-Length: 8000000\r\n\r\n";
  for (int i = 0; i < 50; ++i) {
    wires.push_back(rig.connect());
    wires.back().send(head + std::string(60'000, 'x'));
    rig.settle();
    rig.time += 1ms;
    EXPECT_LE(rig.server->held_bytes(), std::size_t{1} << 20);
  }
  wires.front().read();
  EXPECT_EQ(status_in(wires.front().got), 503U);
  EXPECT_THAT(wires.front().got, ::testing::HasSubstr("urn:sotto:too-busy"));
  wires.back().read();
  EXPECT_TRUE(wires.back().got.empty());
  expect_served(rig);
}

TEST(HttpFaults, SmuggledRequests) {
  Rig rig;
  rig.start();
  const std::string inner = get("/hello");
  const std::string head = "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n";
  const std::vector<std::string> forms{
      head + "Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + inner,
      head + "Transfer-Encoding: chunked\r\nContent-Length: 6\r\n\r\n0\r\n\r\n" + inner,
      head + "Content-Length: 0\r\nContent-Length: " + std::to_string(inner.size()) + "\r\n\r\n" + inner,
      head + "Transfer-Encoding: identity\r\n\r\n" + inner,
      head + "Transfer-Encoding: xchunked\r\n\r\n" + inner,
      "POST /echo HTTP/1.0\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + inner,
      post("/nothing", inner),
  };
  for (const std::string& form : forms) {
    Wire wire = rig.connect();
    const auto answers = rig.talk(wire, form);
    ASSERT_EQ(answers.size(), 1U) << form;
    EXPECT_GE(status_in(answers[0]), 400U) << form;
    EXPECT_TRUE(wire.closed) << form;
  }
}

TEST(HttpFaults, GarbageAndBadText) {
  Rig rig;
  rig.start();
  EXPECT_EQ(rig.status_of("\x16\x03\x01\x02\x00\x01\x00\r\n\r\n"), 400U) << "TLS without TLS";
  EXPECT_EQ(rig.status_of("GET /\xff HTTP/1.1\r\nHost: a\r\n\r\n"), 400U);
  EXPECT_EQ(rig.status_of("GET /%ff HTTP/1.1\r\nHost: a\r\n\r\n"), 400U);
  EXPECT_EQ(rig.status_of("GET /hello HTTP/9.9\r\nHost: a\r\n\r\n"), 505U);
  std::mt19937 random(1);
  for (int i = 0; i < 300; ++i) {
    std::string noise(1 + random() % 300, '\0');
    for (char& c : noise) c = static_cast<char>(random());
    Wire wire = rig.connect();
    for (const std::string& answer : rig.talk(wire, noise + "\r\n\r\n")) EXPECT_GE(status_in(answer), 400U);
  }
  expect_served(rig);
}

TEST(HttpFaults, ClientsThatLeave) {
  Rig rig;
  rig.start();
  const std::string request = post("/echo", "[1,2,3]");
  for (std::size_t cut = 0; cut <= request.size(); ++cut) {
    Wire wire = rig.connect();
    wire.send(request.substr(0, cut));
    rig.settle();
    if (cut % 2 == 0) wire.end();
    rig.settle();
    wire.leave();
    rig.settle();
    ASSERT_EQ(rig.server->connections(), 0U) << cut;
  }
  EXPECT_EQ(rig.server->held_bytes(), 0U);
}

}  // namespace
}  // namespace sotto::apps
