#include "apps/kit/http/listen.h"

#include <sys/stat.h>

#include "apps/kit/files/output_file.h"
#include "apps/kit/http/client.h"
#include "net/transport/tcp/connector.h"
#include "net/transport/tls/context.h"
#include "tests/apps/kit/http/rig.h"
#include "tests/framework.h"

namespace sotto::apps {
namespace {

using http_test::get;
using http_test::post;
using http_test::Rig;
using http_test::status_in;
using http_test::Wire;
using testing::HasSubstr;
using namespace std::chrono_literals;

const std::string token_text = "0123456789abcdef0123456789abcdef";

std::filesystem::path token_file(const PrivateFolder& folder, const std::string& text, mode_t mode = 0600) {
  const std::filesystem::path path = folder.path() / "token";
  std::filesystem::remove(path);
  std::ofstream(path) << text;
  ::chmod(path.c_str(), mode);
  return path;
}

TEST(ListenAt, IsRead) {
  EXPECT_EQ(parse_listen("unix:/run/sotto/actor.sock", "x"), ListenAt(UnixPath{"/run/sotto/actor.sock"}));
  EXPECT_EQ(parse_listen("127.0.0.1:8080", "x"), ListenAt(net::Address{"127.0.0.1", 8080}));
  for (const std::string text : {"unix:", "unix:a.sock", "unix:/run/", "/run/a.sock", "127.0.0.1", "a:99999"}) {
    EXPECT_THAT(error_of<InputError>([&] { static_cast<void>(parse_listen(text, "http.listen")); }),
                HasSubstr("http.listen: "))
        << text;
  }
  EXPECT_THAT(
      error_of<InputError>([&] { static_cast<void>(parse_listen("unix:/" + std::string(107, 'a'), "http.listen")); }),
      HasSubstr("at most 107 bytes, this one has 108"));
}

TEST(HttpUrl, IsRead) {
  EXPECT_EQ(parse_http_url("http://a.example:81/x?y=1", "u").path, "/x?y=1");
  EXPECT_EQ(parse_http_url("http://a.example", "u").service, ListenAt(net::Address{"a.example", 80}));
  EXPECT_EQ(parse_http_url("http://[::1]/x", "u").service, ListenAt(net::Address{"::1", 80}));
  const HttpUrl socket = parse_http_url("http://unix:/run/f.sock:/v1/f", "u");
  EXPECT_EQ(socket.service, ListenAt(UnixPath{"/run/f.sock"}));
  EXPECT_EQ(socket.path, "/v1/f");
  const HttpUrl safe = parse_http_url("https://a.example/x", "u");
  EXPECT_TRUE(safe.tls);
  EXPECT_EQ(safe.service, ListenAt(net::Address{"a.example", 443}));
  for (const std::string text :
       {"", "https:/a/x", "https://unix:/run/f.sock:/x", "http://", "http://a b/", "http://u:p@a/",
        "http://a/x\r\ny: z", "http://unix:f.sock:/x", "http://a:0/", "http://a?x"}) {
    EXPECT_THROW(static_cast<void>(parse_http_url(text, "u")), InputError) << text;
  }
}

TEST(HttpUrl, IsPrivateOnThisMachineOrByAFingerprint) {
  const std::string pinned = "sha256:" + std::string(64, 'a');
  const auto fault = [](const std::string& url, const std::string& fingerprint = "") {
    return error_of<InputError>([&] {
      require_private(parse_http_url(url, "url"), fingerprint, {"the url", "the fingerprint"});
    });
  };
  for (const std::string url : {"http://127.0.0.1:81/x", "http://127.8.0.1/x", "http://[::1]/x", "http://localhost/x",
                                "http://unix:/run/f.sock:/x"}) {
    EXPECT_EQ(fault(url), "") << url;
    EXPECT_THAT(fault(url, pinned), HasSubstr("the fingerprint: is of an https url")) << url;
  }
  for (const std::string url :
       {"http://a.example/x", "http://10.0.0.1/x", "http://127.0.0.1.a.example/x", "http://[::2]/x"}) {
    EXPECT_THAT(fault(url), HasSubstr("the url: everybody on the way to ")) << url;
  }
  EXPECT_THAT(fault("http://0.0.0.0/x"), HasSubstr("is an address to listen on"));
  EXPECT_EQ(fault("https://a.example/x", pinned), "");
  EXPECT_THAT(fault("https://a.example/x"), HasSubstr("the fingerprint: is missing"));
  EXPECT_THAT(fault("https://127.0.0.1/x"), HasSubstr("the fingerprint: is missing"));
  EXPECT_THAT(fault("https://a.example/x", "sha256:00"), HasSubstr("the fingerprint: expected sha256:"));
}

TEST(UnixListener, HasAFileOfItsOwnAndTakesItAway) {
  const PrivateFolder folder;
  const std::filesystem::path path = folder.path() / "a.sock";
  {
    const UnixListener listener(path);
    struct stat status {};
    ASSERT_EQ(::lstat(path.c_str(), &status), 0);
    EXPECT_TRUE(S_ISSOCK(status.st_mode));
    EXPECT_EQ(status.st_mode & 07777, 0660U);
    EXPECT_THAT(error_of<ResourceError>([&] { const UnixListener second(path); }), HasSubstr("another program does"));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(UnixListener, ReplacesWhatADeadProcessLeftAndNothingElse) {
  const PrivateFolder folder;
  const std::filesystem::path path = folder.path() / "a.sock";
  {
    UnixListener listener(path);
    std::filesystem::rename(path, folder.path() / "kept.sock");
  }
  // The listener ended while its socket file had another name, so the file still exists, as it does after a process was
  // killed.
  std::filesystem::rename(folder.path() / "kept.sock", path);
  ASSERT_TRUE(std::filesystem::exists(path));
  { const UnixListener again(path); }
  EXPECT_FALSE(std::filesystem::exists(path));
  std::ofstream(path) << "a file";
  EXPECT_THAT(error_of<InputError>([&] { const UnixListener listener(path); }), HasSubstr("no socket"));
  EXPECT_TRUE(std::filesystem::exists(path));
  EXPECT_THAT(error_of<InputError>([&] { const UnixListener listener(folder.path() / "missing/a.sock"); }),
              HasSubstr("make its folder"));
}

TEST(TokenGuard, AdmitsTheTokenAlone) {
  const PrivateFolder folder;
  const TokenGuard guard(token_file(folder, token_text + "\n"));
  EXPECT_TRUE(guard.admits("Bearer " + token_text));
  EXPECT_TRUE(guard.admits("bearer  " + token_text));
  for (const std::string& wrong :
       {std::string(), std::string("Bearer"), std::string("Bearer "), token_text, "Basic " + token_text,
        "Bearer " + token_text + "x", "Bearer " + token_text.substr(1), "Bearer " + token_text + "\n",
        "Bearer 1" + token_text.substr(1)}) {
    EXPECT_FALSE(guard.admits(wrong)) << wrong;
  }
}

TEST(TokenGuard, RefusesFilesThatHoldNoSecret) {
  const PrivateFolder folder;
  const auto fault = [&](const std::string& text, mode_t mode = 0600) {
    return error_of<InputError>([&] { const TokenGuard guard(token_file(folder, text, mode)); });
  };
  EXPECT_EQ(fault(token_text), "");
  EXPECT_THAT(fault(token_text, 0640), HasSubstr("chmod 600"));
  EXPECT_THAT(fault("short"), HasSubstr("this one has 5"));
  EXPECT_THAT(fault(std::string(513, 'a')), HasSubstr("this one has 513"));
  EXPECT_THAT(fault(std::string(32, ' ')), HasSubstr("letters, digits"));
  EXPECT_THAT(fault(token_text + "\n" + token_text), testing::Not(HasSubstr(token_text)));
  EXPECT_THAT(error_of<InputError>([&] { const TokenGuard guard(folder.path() / "none"); }),
              HasSubstr("cannot be read"));
}

TEST(TokenGuard, KeepsTheOldTokenWhereTheNewOneIsNone) {
  const PrivateFolder folder;
  TokenGuard guard(token_file(folder, token_text));
  token_file(folder, "short");
  EXPECT_THROW(guard.read_again(), InputError);
  EXPECT_TRUE(guard.admits("Bearer " + token_text));
  const std::string other(40, 'z');
  token_file(folder, other);
  guard.read_again();
  EXPECT_FALSE(guard.admits("Bearer " + token_text));
  EXPECT_TRUE(guard.admits("Bearer " + other));
}

TEST(HttpPort, AsksForATokenAndForTlsBeyondLoopback) {
  const PrivateFolder folder;
  net::Io io;
  const auto fault = [&](HttpConfig config) {
    return error_of<InputError>([&] { const HttpServer server(io, std::move(config), Router()); });
  };
  HttpConfig config;
  config.listen = net::Address{"127.0.0.1", 0};
  EXPECT_THAT(fault(config), HasSubstr("http.token_file: every program of this machine reaches 127.0.0.1:0"));
  config.token_file = token_file(folder, token_text);
  EXPECT_EQ(fault(config), "");
  config.listen = net::Address{"0.0.0.0", 0};
  EXPECT_THAT(fault(config),
              AllOf(HasSubstr("http.listen: 0.0.0.0:0 is not on loopback"), HasSubstr("set tls = true in [http]")));
}

TEST(HttpPort, LetsNobodyInWithoutTheToken) {
  const PrivateFolder folder;
  Rig rig;
  rig.config.token_file = token_file(folder, token_text);
  rig.start();
  const std::string bearer = "Authorization: Bearer ";
  const auto asked = [&](const std::string& path, const std::string& line) {
    return rig.status_of("GET " + path + " HTTP/1.1\r\nHost: a\r\n" + line + "\r\n\r\n");
  };
  EXPECT_EQ(asked("/hello", bearer + token_text), 200U);
  EXPECT_EQ(asked("/hello", "a: b"), 401U);
  EXPECT_EQ(asked("/hello", bearer + "wrong"), 401U);
  EXPECT_EQ(asked("/nothing", bearer + "wrong"), 401U) << "strangers learn no paths";
  EXPECT_EQ(asked("/health", "a: b"), 204U);
  EXPECT_EQ(rig.status_of(post("/health", "")), 401U);
  const std::string other(32, 'y');
  token_file(folder, other);
  EXPECT_EQ(asked("/hello", bearer + token_text), 200U);
  rig.server->read_token_again();
  EXPECT_EQ(asked("/hello", bearer + token_text), 401U);
  EXPECT_EQ(asked("/hello", bearer + other), 200U);
}

TEST(HttpPort, LetsReadersReadAlone) {
  const PrivateFolder folder;
  const auto written = [&](const std::string& name, const std::string& text) {
    std::ofstream(folder.path() / name) << text;
    ::chmod((folder.path() / name).c_str(), 0600);
    return folder.path() / name;
  };
  Rig rig;
  Route figures;
  figures.method = "GET";
  figures.pattern = "/figures";
  figures.for_readers = true;
  std::vector<bool> reads_only;
  figures.handler = [&](const Request& request, const Responder& responder) {
    reads_only.push_back(request.reads_only);
    responder.answer(Answer::nothing());
  };
  rig.router.add(std::move(figures));
  rig.config.token_file = written("token", token_text);
  const std::string reader(32, 'r');
  rig.config.reader_token_file = written("reader", reader);
  rig.start();
  const auto asked = [&](const std::string& path, const std::string& token, const std::string& method = "GET") {
    return rig.status_of(method + " " + path + " HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer " + token + "\r\n\r\n");
  };
  EXPECT_EQ(asked("/figures", reader), 204U);
  EXPECT_EQ(asked("/figures", token_text), 204U);
  EXPECT_EQ(reads_only, (std::vector<bool>{true, false})) << "so that a route may tell callers more";
  EXPECT_EQ(asked("/figures", token_text + "x"), 401U);
  EXPECT_EQ(asked("/hello", token_text), 200U);
  EXPECT_EQ(asked("/hello", reader), 403U);
  EXPECT_EQ(asked("/figures", reader, "POST"), 403U);
  EXPECT_EQ(asked("/nothing", reader), 403U);
  const std::string other(32, 'o');
  written("reader", other);
  rig.server->read_token_again();
  EXPECT_EQ(asked("/figures", reader), 401U);
  EXPECT_EQ(asked("/figures", other), 204U);
  written("reader", token_text);
  EXPECT_THAT(error_of<InputError>([&] { rig.server->read_token_again(); }),
              HasSubstr("http.reader_token_file: it has the token of http.token_file"));
  EXPECT_EQ(asked("/figures", other), 204U) << "the old tokens hold";
  EXPECT_EQ(asked("/hello", token_text), 200U);
}

TEST(HttpPort, SpeaksTlsToClientsWithoutACertificate) {
  const PrivateFolder folder;
  const auto identity = std::make_shared<const net::Identity>(net::Identity::create("actor"));
  Rig rig;
  rig.config.token_file = token_file(folder, token_text);
  rig.config.tls = identity;
  rig.start();
  auto [mine, its] = net::make_stream_pair();
  rig.server->take(std::move(its), "here");
  const net::TlsContext client(net::Identity::create("client"), {});
  Wire wire(client.connect(std::move(mine), identity->fingerprint()));
  const std::string request = "GET /hello HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer " + token_text + "\r\n\r\n";
  std::size_t sent = 0;
  while (wire.got.empty() && !wire.closed) {
    if (sent < request.size()) sent += wire.send_some(std::string_view(request).substr(sent));
    rig.settle();
    wire.read();
  }
  EXPECT_EQ(status_in(wire.got), 200U);
  Wire plain = rig.connect();
  for (const std::string& answer : rig.talk(plain, request)) EXPECT_EQ(status_in(answer), 0U);
  EXPECT_TRUE(plain.closed);
}

struct Heard {
  std::optional<HttpResult> result;
  HttpClient::Done take() {
    return [this](HttpResult&& given) { result = std::move(given); };
  }
  const HttpResult& wait(net::Io& io) {
    while (!result) io.run_for(1s);
    return *result;
  }
};

TEST(HttpClient, AsksOverAUnixSocketAndOverTcp) {
  const PrivateFolder folder;
  Rig over_unix;
  over_unix.config.listen = UnixPath{folder.path() / "a.sock"};
  over_unix.start();
  EXPECT_EQ(over_unix.server->address(), "unix:" + (folder.path() / "a.sock").string());
  HttpClient client(over_unix.io, {.service = UnixPath{folder.path() / "a.sock"}, .now = {}});
  for (int i = 0; i < 3; ++i) {
    Heard received;
    client.post_json("/echo", "[" + std::to_string(i) + "]", net::Clock::time_point::max(), received.take());
    EXPECT_EQ(received.wait(over_unix.io).failure, "");
    EXPECT_EQ(received.result->status, 200U);
    EXPECT_EQ(received.result->body, "[" + std::to_string(i) + "]");
  }
  EXPECT_EQ(over_unix.server->connections(), 1U) << "the connection stays";

  Rig over_tcp;
  over_tcp.config.listen = net::Address{"127.0.0.1", 0};
  over_tcp.config.token_file = token_file(folder, token_text);
  over_tcp.start();
  HttpClient other(over_tcp.io, {.service = net::parse_address(over_tcp.server->address(), "address"), .now = {}});
  Heard received;
  other.ask("GET", "/hello", "Authorization: Bearer " + token_text + "\r\n", "", net::Clock::time_point::max(),
            received.take());
  EXPECT_EQ(received.wait(over_tcp.io).body, "hello");
}

TEST(HttpClient, SpeaksTlsWithTheCertificateThatItIsGivenAlone) {
  const PrivateFolder folder;
  const auto identity = std::make_shared<const net::Identity>(net::Identity::create("features"));
  const net::Identity self = net::Identity::create("party 0");
  Rig rig;
  rig.config.listen = net::Address{"127.0.0.1", 0};
  rig.config.token_file = token_file(folder, token_text);
  rig.config.tls = identity;
  rig.start();
  const auto service = net::parse_address(rig.server->address(), "address");
  const auto asked = [&](const WrapStream& wrap) {
    HttpClient client(rig.io, {.service = service, .now = {}, .wrap = wrap});
    for (int again = 0;; ++again) {
      Heard received;
      client.ask("GET", "/hello", "Authorization: Bearer " + token_text + "\r\n", "", net::Clock::time_point::max(),
                 received.take());
      if (!received.wait(rig.io).failure.empty() || again == 2) return *received.result;
    }
  };
  EXPECT_EQ(asked(pinned_tls(self, identity->fingerprint(), "the setting")).body, "hello");
  const HttpResult refused = asked(pinned_tls(self, self.fingerprint(), "the setting"));
  EXPECT_THAT(refused.failure, AllOf(HasSubstr("it shows the certificate " + identity->fingerprint()),
                                     HasSubstr("set the setting to that one")));
  EXPECT_EQ(refused.status, 0U);
  EXPECT_NE(asked({}).failure, "");
}

TEST(HttpClient, GivesUpAtItsDeadline) {
  const PrivateFolder folder;
  Rig rig;
  rig.config.listen = UnixPath{folder.path() / "a.sock"};
  rig.start();
  HttpClient client(rig.io, {.service = UnixPath{folder.path() / "a.sock"}, .now = [&] { return rig.time; }});
  Heard first;
  Heard second;
  client.ask("POST", "/keep", "", "", rig.time + 20ms, first.take());
  client.post_json("/echo", "{}", rig.time + 30ms, second.take());
  while (rig.kept.empty()) rig.io.run_for(1s);
  rig.time += 20ms;
  client.tick();
  ASSERT_TRUE(first.result.has_value());
  EXPECT_EQ(first.result->failure, "it has not answered in time");
  EXPECT_EQ(second.wait(rig.io).body, "{}");
}

TEST(HttpClient, ComesBackWhereAKeptConnectionWasClosed) {
  const PrivateFolder folder;
  Rig rig;
  rig.config.listen = UnixPath{folder.path() / "a.sock"};
  rig.start();
  HttpClient client(rig.io, {.service = UnixPath{folder.path() / "a.sock"}, .now = {}});
  for (int i = 0; i < 2; ++i) {
    Heard received;
    client.post_json("/echo", "{}", net::Clock::time_point::max(), received.take());
    EXPECT_EQ(received.wait(rig.io).body, "{}");
    rig.time += 61s;
    rig.server->tick();
    EXPECT_EQ(rig.server->connections(), 0U);
  }
}

TEST(HttpClient, SaysWhatIsWrong) {
  const PrivateFolder folder;
  net::Io io;
  HttpClient client(io, {.service = UnixPath{folder.path() / "none.sock"}, .now = {}});
  Heard received;
  client.post_json("/", "{}", net::Clock::time_point::max(), received.take());
  EXPECT_THAT(received.wait(io).failure, HasSubstr("No such file"));

  Rig rig;
  rig.config.listen = UnixPath{folder.path() / "a.sock"};
  rig.start();
  HttpClient bounded(rig.io, {.service = UnixPath{folder.path() / "a.sock"}, .longest_answer = 4, .now = {}});
  Heard long_one;
  bounded.post_json("/echo", "[1,2]", net::Clock::time_point::max(), long_one.take());
  EXPECT_EQ(long_one.wait(rig.io).failure, "its answer is longer than 4 bytes");
}

}  // namespace
}  // namespace sotto::apps
