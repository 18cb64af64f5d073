#include "apps/kit/http/request_reader.h"

#include <gtest/gtest.h>

#include "tests/properties.h"

namespace sotto::apps {
namespace {

using Event = RequestReader::Event;

struct Told {
  Event last = Event::more;
  unsigned status = 0;
  std::string body;
  std::size_t left = 0;  // of the input
  RequestHead head;
};

// The bytes in pieces, until the request ends in one way or another.
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

// Whatever comes, in whatever pieces, ends alike, once the end of a header has come: until then Beast may look no
// further.
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
