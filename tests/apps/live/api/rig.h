// A role's HTTP server on a Unix socket with a stopped clock, and its client. Every answer is compared with
// docs/reference/openapi.json.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include "apps/kit/http/server.h"
#include "apps/live/api/live_routes.h"
#include "tests/apps/kit/http/rig.h"
#include "tests/apps/live/api/openapi.h"
#include "tests/apps/live/samples.h"

namespace sotto::apps::live::api_test {

struct ApiReply {
  unsigned status = 0;
  std::map<std::string, std::string> headers;
  std::string body;

  [[nodiscard]] nlohmann::json json() const { return nlohmann::json::parse(body, nullptr, false); }
  // Returns the name of a problem, for example "queue-full" for "urn:sotto:queue-full".
  [[nodiscard]] std::string problem() const {
    const nlohmann::json parsed = json();
    const std::string type = parsed.is_object() ? parsed.value("type", "") : "";
    return type.starts_with("urn:sotto:") ? type.substr(10) : type;
  }
  [[nodiscard]] std::vector<nlohmann::json> lines() const {
    std::vector<nlohmann::json> all;
    std::istringstream in(body);
    for (std::string line; std::getline(in, line);) all.push_back(nlohmann::json::parse(line, nullptr, false));
    return all;
  }
};

class ApiCall {
 public:
  static std::unique_ptr<net::ByteStream> connected(const std::filesystem::path& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.c_str(), path.native().size() + 1);
    const int made = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(::connect(made, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    return std::make_unique<net::DescriptorStream>(made);
  }

  ApiCall(const std::filesystem::path& socket, HttpExchange exchange, const std::string& type)
      : exchange_(std::move(exchange)), wire_(connected(socket)) {
    std::string text = exchange_.method + " " + exchange_.path + " HTTP/1.1\r\nHost: a\r\n";
    const bool has_body = exchange_.method == "POST" || exchange_.method == "PUT";
    if (!exchange_.body.empty() || (has_body && !type.empty())) text += "Content-Type: " + type + "\r\n";
    if (has_body) text += "Content-Length: " + std::to_string(exchange_.body.size()) + "\r\n";
    rest_ = text + "\r\n" + exchange_.body;
  }

  void proceed() {
    rest_.erase(0, wire_.send_some(rest_));
    wire_.read();
  }
  [[nodiscard]] bool has_answer() const {
    const std::string& got = wire_.got;
    const std::size_t end = got.find("\r\n\r\n");
    const std::size_t at = got.find("Content-Length: ");
    const std::size_t length = at < end ? std::strtoul(got.c_str() + at + 16, nullptr, 10) : 0;
    return end != std::string::npos && got.size() >= end + 4 + length;
  }
  void leave() { wire_.leave(); }

  [[nodiscard]] ApiReply reply() {
    ApiReply reply;
    EXPECT_TRUE(has_answer()) << exchange_.method << " " << exchange_.path << " has no answer";
    if (!has_answer()) return reply;
    const std::string answer = http_test::answers_in(wire_.got).front();
    reply.status = http_test::status_in(answer);
    reply.body = http_test::body_of(answer);
    std::istringstream head(answer.substr(0, answer.find("\r\n\r\n")));
    std::string line;
    std::getline(head, line);
    while (std::getline(head, line)) {
      if (line.ends_with('\r')) line.pop_back();
      std::string name = line.substr(0, line.find(": "));
      std::transform(name.begin(), name.end(), name.begin(), [](char c) { return static_cast<char>(std::tolower(c)); });
      reply.headers[name] = line.substr(line.find(": ") + 2);
    }
    exchange_.status = reply.status;
    exchange_.headers = reply.headers;
    exchange_.answer = reply.body;
    EXPECT_EQ(OpenApi::instance().fault(exchange_), "") << exchange_.method << " " << exchange_.path << "\n"
                                                        << exchange_.body.substr(0, 500) << "\n"
                                                        << answer.substr(0, 2000);
    // A caller over HTTP has no command line, so no message names a flag.
    if (reply.status >= 400) {
      EXPECT_THAT(reply.body, Not(::testing::ContainsRegex("--[a-z]")));
    }
    return reply;
  }

 private:
  HttpExchange exchange_;
  http_test::Wire wire_;
  std::string rest_;
};

class ApiRig {
 public:
  ApiRig() {
    context->terms = {0.3, live_settings().arms};
    context->clocks.server = [this] { return time; };
    context->clocks.role = [this] { return role_time; };
    context->features.number = 3;
    context->features.columns = {{"age", 0, 1, 0.5}, {"visits", -2, 2, 0}};
    context->features.largest_norm = 2;
  }

  template <class Service>
  void serve(Service& service, const std::string& as) {
    role = as;
    HttpConfig config;
    config.listen = UnixPath{folder.path() / "api.sock"};
    config.now = [this] { return time; };
    config.metrics = &metrics;
    config.on_failure = [this](const std::string& pattern, const std::string& error) {
      failures.push_back(pattern + ": " + error);
    };
    server = std::make_unique<HttpServer>(io, config, live_routes(service, context, metrics));
  }

  [[nodiscard]] ApiCall begin(const std::string& method, const std::string& path, const std::string& body = "",
                              std::string type = "?") {
    if (type == "?") type = path.find(":batch") != std::string::npos ? "application/x-ndjson" : "application/json";
    if (body.empty() && type == "application/json") type = method == "PUT" ? type : "";
    ApiCall call(folder.path() / "api.sock", {role, method, path, body, 0, {}, {}}, type);
    settle(call);
    return call;
  }
  void settle(ApiCall& call) {
    for (int i = 0; i < 200 && !call.has_answer(); ++i) {
      call.proceed();
      io.poll();
    }
  }
  [[nodiscard]] ApiReply finish(ApiCall& call) {
    for (int i = 0; i < 20'000 && !call.has_answer(); ++i) {
      call.proceed();
      io.poll();
    }
    return call.reply();
  }
  [[nodiscard]] ApiReply call(const std::string& method, const std::string& path, const std::string& body = "",
                              const std::string& type = "?") {
    ApiCall one = begin(method, path, body, type);
    return finish(one);
  }
  void pass(std::chrono::milliseconds by) {
    time += by;
    server->tick();
    for (int i = 0; i < 20; ++i) io.poll();
  }

  net::Io io;
  net::Clock::time_point time{std::chrono::hours(1)};
  LiveTime role_time = 1'700'000'005'000;
  TestFolder folder;
  Metrics metrics;
  SharedContext context = std::make_shared<ApiContext>();
  std::string role;
  std::vector<std::string> failures;
  std::unique_ptr<HttpServer> server;
};

}  // namespace sotto::apps::live::api_test
