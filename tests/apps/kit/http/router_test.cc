#include <gtest/gtest.h>

#include "apps/kit/http/message_reader.h"
#include "apps/kit/http/router.h"
#include "tests/properties.h"

namespace sotto::apps {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

TEST(Target, IsTakenApart) {
  const auto target = parse_target("/v1/events/ab%2Fc?wait_ms=5&x=a%20b+c&flag");
  ASSERT_TRUE(target.has_value());
  EXPECT_THAT(target->segments, ElementsAre("v1", "events", "ab/c"));
  EXPECT_THAT(target->query, ElementsAre(Pair("flag", ""), Pair("wait_ms", "5"), Pair("x", "a b+c")));
  EXPECT_THAT(parse_target("/")->segments, ElementsAre(""));
  EXPECT_THAT(parse_target("http://a.example:80/v1/x?y=1")->segments, ElementsAre("v1", "x"));
  EXPECT_THAT(parse_target("/a/../b")->segments, ElementsAre("a", "..", "b")) << "no folders are walked";
}

TEST(Target, IsRefusedWhereItIsNone) {
  const std::string long_one = "/" + std::string(longest_target, 'a');
  const std::string deep = "/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a";
  for (const std::string text :
       {"",          "*",          "v1",    "a:80",   "http://",  "http://a",       "http:///x",
        "ftp://a/x", "/%",         "/%2",   "/%zz",   "/%00",     "/%0a",           "/%ff",
        "/\xff",     "/a?x=1&x=2", "/a?=1", "/a?x=%", "/a?x=%0d", long_one.c_str(), deep.c_str()}) {
    EXPECT_FALSE(parse_target(text).has_value()) << text;
  }
}

PROPERTY(Target, AnySegmentsComeBack) {
  const auto letters = draw<std::vector<std::uint16_t>>();
  std::string segment;
  std::string escaped;
  for (const std::uint16_t letter : letters) {
    const char c = static_cast<char>(' ' + letter % 95);
    segment += c;
    escaped += "%" + std::string(1, "0123456789abcdef"[c >> 4]) + std::string(1, "0123456789ABCDEF"[c & 15]);
  }
  const auto target = parse_target("/" + escaped);
  HOLDS(target.has_value() == (escaped.size() < longest_target));
  if (target) HOLDS(target->segments == std::vector<std::string>{segment});
}

class RouterTest : public testing::Test {
 protected:
  void add(const std::string& method, const std::string& pattern, BodyKind body = BodyKind::none,
           std::vector<std::string> query = {}) {
    Route route;
    route.method = method;
    route.pattern = pattern;
    route.body = body;
    route.query = std::move(query);
    route.handler = [](Request&&, const Responder&) {};
    router.add(route);
  }
  static RequestHead head(const std::string& method, const std::string& target, const std::string& type = "") {
    RequestHead head;
    head.method = method;
    head.target = target;
    head.content_type = type;
    head.has_body = head.has_length = !type.empty();
    head.length = type.empty() ? 0 : 10;
    return head;
  }
  unsigned refusal(const RequestHead& of) const {
    const auto found = router.find(of);
    return found.refusal ? found.refusal->status : 0;
  }
  Router router;
};

TEST_F(RouterTest, FindsTheExactPatternFirst) {
  add("GET", "/v1/events/{event}");
  add("GET", "/v1/events/latest");
  add("POST", "/v1/events/{event}/activate");
  add("POST", "/v1/events/{event}:activate");
  add("POST", "/v1/decisions:batch", BodyKind::lines);
  add("GET", "/");
  const auto pattern = [&](const std::string& method, const std::string& path) {
    const auto found = router.find(head(method, path));
    return found.route == nullptr ? "" : found.route->pattern;
  };
  EXPECT_EQ(pattern("GET", "/"), "/");
  EXPECT_EQ(pattern("GET", "/v1/events/latest"), "/v1/events/latest");
  EXPECT_EQ(pattern("GET", "/v1/events/ab"), "/v1/events/{event}");
  EXPECT_EQ(pattern("HEAD", "/v1/events/ab"), "/v1/events/{event}");
  EXPECT_EQ(router.find(head("GET", "/v1/events/a%62")).request.capture("event"), "ab");
  EXPECT_EQ(pattern("POST", "/v1/events/ab/activate"), "/v1/events/{event}/activate");
  const auto suffixed = router.find(head("POST", "/v1/events/ab:activate"));
  ASSERT_NE(suffixed.route, nullptr);
  EXPECT_EQ(suffixed.request.capture("event"), "ab");
  EXPECT_THROW(static_cast<void>(suffixed.request.capture("other")), std::invalid_argument);
  for (const char* const path : {"/v1", "/v1/events", "/v1/events/", "/v1/events/a%2Fb", "/v1/events/a:b",
                                 "/V1/events/ab", "/v1/events/ab/", "//v1/events/ab"}) {
    EXPECT_EQ(refusal(head("GET", path)), 404U) << path;
  }
  EXPECT_EQ(refusal(head("GET", "/v1/events/" + std::string(129, 'a'))), 404U);
}

TEST_F(RouterTest, SaysWhichMethodsThereAre) {
  add("GET", "/v1/events/{event}");
  add("PUT", "/v1/events/{event}", BodyKind::json);
  const auto found = router.find(head("DELETE", "/v1/events/ab"));
  ASSERT_TRUE(found.refusal.has_value());
  EXPECT_EQ(found.refusal->status, 405U);
  EXPECT_THAT(found.refusal->headers, ElementsAre(Pair("Allow", "GET, HEAD, PUT")));
  EXPECT_EQ(refusal(head("get", "/v1/events/ab")), 405U) << "methods are told apart by case";
}

TEST_F(RouterTest, AsksForALengthATypeAndNoMore) {
  add("POST", "/j", BodyKind::json);
  add("POST", "/l", BodyKind::lines);
  add("POST", "/n");
  EXPECT_EQ(refusal(head("POST", "/j")), 411U);
  EXPECT_EQ(refusal(head("POST", "/j", "application/json")), 0U);
  EXPECT_EQ(refusal(head("POST", "/j", "Application/JSON; charset=UTF-8")), 0U);
  EXPECT_EQ(refusal(head("POST", "/j", "application/json; charset=latin1")), 415U);
  EXPECT_EQ(refusal(head("POST", "/j", "application/x-www-form-urlencoded")), 415U);
  EXPECT_EQ(refusal(head("POST", "/j", "text/plain; application/json")), 415U);
  EXPECT_EQ(refusal(head("POST", "/l", "application/json")), 415U);
  EXPECT_EQ(refusal(head("POST", "/l", "application/x-ndjson")), 0U);
  EXPECT_EQ(refusal(head("POST", "/l", "application/ndjson")), 0U);
  RequestHead untyped = head("POST", "/j");
  untyped.has_body = untyped.has_length = true;
  EXPECT_EQ(refusal(untyped), 415U);
  RequestHead coded = head("POST", "/j", "application/json");
  coded.content_encoding = "gzip";
  EXPECT_EQ(refusal(coded), 415U);
  RequestHead large = head("POST", "/j", "application/json");
  large.length = longest_body;
  EXPECT_EQ(refusal(large), 0U);
  large.length = longest_body + 1;
  EXPECT_EQ(refusal(large), 413U);
  EXPECT_EQ(refusal(head("POST", "/n")), 0U);
  EXPECT_EQ(refusal(head("POST", "/n", "application/json")), 413U);
}

TEST_F(RouterTest, LooksAtAcceptAndTheQuery) {
  add("GET", "/x", BodyKind::none, {"wait_ms"});
  RequestHead asked = head("GET", "/x?wait_ms=30000");
  for (const char* const taken :
       {"", "*/*", "application/*", "text/html, application/json;q=0.1", "APPLICATION/json"}) {
    asked.accept = taken;
    EXPECT_EQ(refusal(asked), 0U) << taken;
  }
  for (const char* const not_taken : {"text/html", "application/json;q=0", "application/json;q=0.000, */*", "text/*"}) {
    asked.accept = not_taken;
    EXPECT_EQ(refusal(asked), 406U) << not_taken;
  }
  EXPECT_EQ(refusal(head("GET", "/x?wait=1")), 400U);
  EXPECT_EQ(refusal(head("GET", "/x?wait_ms=1&wait_ms=2")), 400U);
  EXPECT_EQ(refusal(head("GET", "/" + std::string(longest_target, 'a'))), 414U);
}

TEST_F(RouterTest, GivesAWaitInItsRange) {
  add("GET", "/x", BodyKind::none, {"wait_ms"});
  const auto wait = [&](const std::string& target) {
    return router.find(head("GET", target)).request.wait(std::chrono::milliseconds(30'000));
  };
  EXPECT_EQ(wait("/x"), std::nullopt);
  EXPECT_EQ(wait("/x?wait_ms=0"), std::chrono::milliseconds(0));
  EXPECT_EQ(wait("/x?wait_ms=30000"), std::chrono::milliseconds(30'000));
  for (const char* const wrong :
       {"/x?wait_ms=30001", "/x?wait_ms=-1", "/x?wait_ms=", "/x?wait_ms=1.5", "/x?wait_ms=9e9"}) {
    EXPECT_THROW(static_cast<void>(wait(wrong)), ProblemError) << wrong;
  }
}

TEST_F(RouterTest, RefusesPatternsThatCannotBe) {
  add("GET", "/a/{b}");
  for (const char* const pattern : {"", "a", "/{}", "/{a", "/a{b}", "/{a}b", "/a/{c}"}) {
    EXPECT_THROW(add("GET", pattern), std::invalid_argument) << pattern;
  }
  EXPECT_THROW(add("PATCH", "/p"), std::invalid_argument);
  EXPECT_NO_THROW(add("PUT", "/a/{c}"));
}

using Event = RequestReader::Event;

struct Told {
  Event last = Event::more;
  unsigned status = 0;
  std::string body;
  std::size_t left = 0;
  RequestHead head;
};

Told tell(std::string_view bytes, std::size_t piece = std::string::npos, std::size_t most_body = 1000) {
  RequestReader reader(1024);
  std::string input;
  Told told;
  for (;;) {
    std::string_view rest = input;
    told.last = reader.read(rest);
    input.erase(0, input.size() - rest.size());
    if (told.last == Event::head) {
      told.head = reader.head();
      reader.allow(most_body);
      continue;
    }
    if (told.last == Event::more && !bytes.empty()) {
      input += bytes.substr(0, piece);
      bytes.remove_prefix(std::min(piece, bytes.size()));
      continue;
    }
    break;
  }
  if (told.last == Event::failed) told.status = reader.fault().status;
  told.body = reader.body();
  told.left = input.size() + bytes.size();
  return told;
}

const std::string sound =
    "POST /a?b=1 HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nAccept: a/b\r\nAccept: c/d\r\n"
    "Authorization: Bearer x\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\nhello";

TEST(RequestReader, GivesHeadAndBody) {
  const Told told = tell(sound + "GET");
  EXPECT_EQ(told.last, Event::done);
  EXPECT_EQ(told.head.method, "POST");
  EXPECT_EQ(told.head.target, "/a?b=1");
  EXPECT_EQ(told.head.content_type, "application/json");
  EXPECT_EQ(told.head.accept, "a/b, c/d");
  EXPECT_EQ(told.head.authorization, "Bearer x");
  EXPECT_TRUE(told.head.expects_continue && told.head.keep_alive && told.head.http_1_1 && told.head.has_body);
  EXPECT_EQ(told.head.length, 5U);
  EXPECT_EQ(told.body, "hello");
  EXPECT_EQ(told.left, 3U) << "the next request stays";
}

TEST(RequestReader, TakesChunksWithExtensionsAndTrailers) {
  const Told told = tell(
      "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5;a=\"b\"\r\nhello\r\n1\r\n!\r\n0\r\nHost: "
      "other\r\n"
      "Authorization: Bearer y\r\n\r\nGET");
  EXPECT_EQ(told.last, Event::done);
  EXPECT_EQ(told.body, "hello!");
  EXPECT_EQ(told.left, 3U);
  EXPECT_TRUE(told.head.has_body);
  EXPECT_FALSE(told.head.has_length);
}

TEST(RequestReader, GivesTheSameInPiecesOfAnySize) {
  const std::string chunked =
      "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6\r\n world\r\n0\r\nx: y\r\n\r\n";
  for (std::size_t piece = 1; piece <= 40; ++piece) {
    EXPECT_EQ(tell(sound, piece).body, "hello") << piece;
    EXPECT_EQ(tell(chunked, piece).body, "hello world") << piece;
    EXPECT_EQ(tell(chunked, piece).last, Event::done) << piece;
  }
}

TEST(RequestReader, RefusesWhatTwoProgramsCouldReadInTwoWays) {
  const std::string start = "POST / HTTP/1.1\r\nHost: h\r\n";
  const auto status = [&](const std::string& headers) { return tell(start + headers + "\r\n\r\n0\r\n\r\n").status; };
  EXPECT_EQ(status("Content-Length: 5\r\nTransfer-Encoding: chunked"), 400U);
  EXPECT_EQ(status("Transfer-Encoding: chunked\r\nContent-Length: 5"), 400U);
  EXPECT_EQ(status("Content-Length: 5\r\nContent-Length: 5"), 400U);
  EXPECT_EQ(status("Content-Length: 5\r\nContent-Length: 6"), 400U);
  EXPECT_EQ(status("Content-Length: 5, 5"), 400U);
  EXPECT_EQ(status("Content-Length: +5"), 400U);
  EXPECT_EQ(status("Content-Length: -5"), 400U);
  EXPECT_EQ(status("Content-Length: 0x5"), 400U);
  EXPECT_EQ(status("Content-Length: 5 5"), 400U);
  EXPECT_EQ(status("Content-Length:"), 400U);
  EXPECT_EQ(status("Content-Length: 99999999999999999999999"), 400U);
  EXPECT_EQ(status("Content-Length : 5"), 400U);
  EXPECT_EQ(status("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked"), 400U);
  EXPECT_EQ(status("Transfer-Encoding: gzip, chunked"), 501U);
  EXPECT_EQ(status("Transfer-Encoding: chunked, identity"), 501U);
  EXPECT_EQ(status("Transfer-Encoding: xchunked"), 501U);
  EXPECT_EQ(status("Transfer-Encoding:"), 501U);
  EXPECT_EQ(status("Host: other"), 400U);
  EXPECT_EQ(status("Authorization: a\r\nAuthorization: b"), 400U);
  EXPECT_EQ(status("Content-Type: a/b\r\nContent-Type: c/d"), 400U);
  EXPECT_EQ(status("Expect: something"), 417U);
  EXPECT_EQ(tell("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n").status, 400U);
}

TEST(RequestReader, RefusesWhatIsNoRequest) {
  for (const std::string& bytes : {std::string("\r\n\r\n"), std::string("GET\r\n\r\n"), std::string("GET /\r\n\r\n"),
                                   std::string("\x16\x03\x01 TLS /\r\n\r\n"), std::string("GET / HTTP/1.1\r\n\r\n"),
                                   std::string("GET / HTTP/1.1\r\nHost: h\r\nbad header\r\n\r\n"),
                                   std::string("GET / HTTP/1.1\r\nHost: h\0\r\n\r\n", 28),
                                   std::string("GET / HTTP/1.1\r\nHost: h\r\na: b\rc\r\n\r\n")}) {
    EXPECT_EQ(tell(bytes).status, 400U) << bytes;
  }
  EXPECT_EQ(tell("GET / HTTP/1.1\nHost: h\n\n").status, 505U) << "a line ends with CRLF";
  EXPECT_EQ(tell("GET / HTTP/2.0\r\nHost: h\r\n\r\n").status, 505U);
  EXPECT_EQ(tell("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").status, 505U);
}

TEST(RequestReader, RefusesBadChunks) {
  const std::string start = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (const char* const chunks :
       {"x\r\n", "-1\r\n", "5\r\nhelloXX\r\n\r\n", "11111111111111111\r\n", " 5\r\nhello\r\n"}) {
    EXPECT_EQ(tell(start + chunks).status, 400U) << chunks;
  }
}

TEST(RequestReader, EndsAtItsLimits) {
  const std::string start = "POST / HTTP/1.1\r\nHost: h\r\n";
  EXPECT_EQ(tell(start + "a: " + std::string(900, 'x') + "\r\n\r\n").last, Event::done);
  EXPECT_EQ(tell(start + "a: " + std::string(2000, 'x') + "\r\n\r\n").status, 431U);
  EXPECT_EQ(tell(start + "a: " + std::string(2000, 'x'), 1).status, 431U);
  EXPECT_EQ(tell("GET /" + std::string(2000, 'x'), 7).status, 431U);
  const std::string chunked = start + "Transfer-Encoding: chunked\r\n\r\n";
  EXPECT_EQ(tell(chunked + "5;" + std::string(3000, 'x'), 11).status, 431U) << "the head of a chunk";
  EXPECT_EQ(tell(chunked + "0\r\nx: " + std::string(3000, 'x'), 11).status, 431U) << "what follows the last chunk";
  EXPECT_EQ(tell(chunked + "5\r\nhello\r\n0\r\n\r\n", 3, 5).body, "hello");
  EXPECT_EQ(tell(chunked + "5\r\nhello\r\n1\r\n!\r\n0\r\n\r\n", 3, 5).status, 413U);
  EXPECT_EQ(tell(chunked + "fffffffffffffff\r\n" + std::string(1001, 'x')).status, 413U) << "a claim takes nothing";
}

TEST(RequestReader, KnowsWhoStays) {
  const auto keeps = [](const std::string& version, const std::string& headers) {
    return tell("GET / HTTP/" + version + "\r\nHost: h\r\n" + headers + "\r\n").head.keep_alive;
  };
  EXPECT_TRUE(keeps("1.1", ""));
  EXPECT_FALSE(keeps("1.1", "Connection: close\r\n"));
  EXPECT_FALSE(keeps("1.1", "Connection: te, Close\r\n"));
  EXPECT_FALSE(keeps("1.0", ""));
  EXPECT_TRUE(keeps("1.0", "Connection: keep-alive\r\n"));
}

// The server must handle the input in the same way, whether the bytes arrive at once or in pieces. The test adds the
// end of a header to the input, because Beast may leave an incomplete header unread.
PROPERTY(RequestReader, PiecesDoNotMatter) {
  const auto noise = draw<std::string>();
  const auto at = draw<std::uint8_t>();
  const auto size = draw<std::uint8_t>();
  std::string bytes = sound;
  bytes.insert(at % bytes.size(), noise);
  bytes += "\r\n\r\n";
  const Told whole = tell(bytes);
  const Told cut = tell(bytes, 1 + size % 16);
  HOLDS(whole.last == cut.last);
  HOLDS(whole.body == cut.body);
  HOLDS(whole.head.target == cut.head.target);
}

}  // namespace
}  // namespace sotto::apps
