// An HTTP server with a stopped clock, and test clients that send it raw bytes, all in one thread.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/kit/http/server.h"
#include "sotto/protocol/transport/stream.h"

namespace sotto::apps::http_test {

class Wire {
 public:
  explicit Wire(std::unique_ptr<net::ByteStream> stream) : stream_(std::move(stream)) {}

  std::size_t send_some(std::string_view bytes) {
    const net::ByteStream::Transfer out = stream_->write_some({}, std::as_bytes(std::span(bytes)));
    if (out.state == net::ByteStream::State::lost) closed = true;
    return out.bytes;
  }
  void send(std::string_view bytes) { EXPECT_EQ(send_some(bytes), bytes.size()); }
  void read() {
    std::vector<std::byte> piece(65536);
    for (;;) {
      const net::ByteStream::Transfer in = stream_->read_some(piece);
      if (in.state != net::ByteStream::State::moved) {
        closed = closed || in.state != net::ByteStream::State::would_block;
        return;
      }
      got.append(reinterpret_cast<const char*>(piece.data()), in.bytes);
    }
  }
  void end() { stream_->end_writing(); }
  void leave() { stream_->close(); }

  std::string got;
  bool closed = false;  // true after the server has closed the connection

 private:
  std::unique_ptr<net::ByteStream> stream_;
};

// Splits `bytes` into whole answers. Bytes after the last whole answer are one more entry.
inline std::vector<std::string> answers_in(std::string bytes) {
  std::vector<std::string> answers;
  while (!bytes.empty()) {
    const std::size_t end = bytes.find("\r\n\r\n");
    if (end == std::string::npos) break;
    const std::string head = bytes.substr(0, end + 4);
    const std::size_t at = head.find("Content-Length: ");
    const std::size_t length = at == std::string::npos ? 0 : std::strtoul(head.c_str() + at + 16, nullptr, 10);
    if (bytes.size() < head.size() + length) break;
    answers.push_back(bytes.substr(0, head.size() + length));
    bytes.erase(0, head.size() + length);
  }
  if (!bytes.empty()) answers.push_back(bytes);
  return answers;
}

inline unsigned status_in(const std::string& answer) {
  return answer.starts_with("HTTP/1.1 ") ? static_cast<unsigned>(std::strtoul(answer.c_str() + 9, nullptr, 10)) : 0;
}

inline std::string body_of(const std::string& answer) {
  const std::size_t end = answer.find("\r\n\r\n");
  return end == std::string::npos ? "" : answer.substr(end + 4);
}

inline std::string get(const std::string& path) { return "GET " + path + " HTTP/1.1\r\nHost: a\r\n\r\n"; }
inline std::string post(const std::string& path, const std::string& body,
                        const std::string& type = "application/json") {
  return "POST " + path + " HTTP/1.1\r\nHost: a\r\nContent-Type: " + type +
         "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

class Rig {
 public:
  // The routes: POST /echo (JSON) and /echo:batch (lines) return the body. POST /keep stores its responder until the
  // test answers. GET /fail throws. GET /health is open to all.
  explicit Rig(HttpLimits limits = {}) { config.limits = limits; }

  void start() {
    add("GET", "/hello", BodyKind::none,
        [](Request&&, const Responder& responder) { responder.answer(Answer::text("hello", "text/plain")); });
    const auto echo = [](Request&& request, const Responder& responder) {
      responder.answer(Answer::text(std::move(request.body), "application/json"));
    };
    add("POST", "/echo", BodyKind::json, echo);
    add("POST", "/echo:batch", BodyKind::lines, echo);
    add("POST", "/keep", BodyKind::none, [this](Request&&, const Responder& responder) {
      responder.when_gone([this] { ++left; });
      kept.push_back(responder);
    });
    add("GET", "/fail", BodyKind::none,
        [](Request&&, const Responder&) { throw std::runtime_error("a secret of the handler"); });
    Route health;
    health.method = "GET";
    health.pattern = "/health";
    health.handler = [](Request&&, const Responder& responder) { responder.answer(Answer::nothing()); };
    health.open = true;
    router.add(std::move(health));
    config.now = [this] { return time; };
    config.metrics = &metrics;
    config.on_failure = [this](const std::string& pattern, const std::string& error) {
      failures.push_back(pattern + ": " + error);
    };
    server = std::make_unique<HttpServer>(io, config, router);
  }

  void add(const std::string& method, const std::string& pattern, BodyKind body, RequestHandler handler) {
    Route route;
    route.method = method;
    route.pattern = pattern;
    route.body = body;
    route.handler = std::move(handler);
    router.add(std::move(route));
  }

  Wire connect(const std::string& network = "here") {
    auto [mine, its] = net::make_stream_pair();
    server->take(std::move(its), network);
    return Wire(std::move(mine));
  }
  void settle() {
    for (int i = 0; i < 50; ++i) io.poll();
  }
  void pass(std::chrono::milliseconds by) {
    time += by;
    server->tick();
    settle();
  }
  std::vector<std::string> talk(Wire& wire, std::string_view bytes) {
    while (!bytes.empty() && !wire.closed) {
      const std::size_t sent = wire.send_some(bytes);
      bytes.remove_prefix(sent);
      io.poll();
      wire.read();
    }
    settle();
    wire.read();
    return answers_in(std::exchange(wire.got, ""));
  }
  // Sends the bytes on a new connection. Returns the status of the answer, or 0 if there is not exactly one answer.
  unsigned status_of(std::string_view bytes) {
    Wire wire = connect();
    const auto answers = talk(wire, bytes);
    return answers.size() == 1 ? status_in(answers.front()) : 0;
  }

  net::Io io;
  net::Clock::time_point time{std::chrono::hours(1)};
  HttpConfig config;
  Router router;
  Metrics metrics;
  std::vector<Responder> kept;
  int left = 0;
  std::vector<std::string> failures;
  std::unique_ptr<HttpServer> server;
};

}  // namespace sotto::apps::http_test
