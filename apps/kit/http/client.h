// A client of one HTTP service. The client sends one request after the other on a persistent connection, on the event
// loop of its process. A party uses the client to pull features from a service. Tests use the client too.
//
// If the service closed the connection between two requests, the client connects again once and repeats the request,
// unless a part of the answer had already come. A request may therefore arrive twice, and the service must tolerate a
// repeated request. Every request has a deadline, and every answer a size limit. An error ends the connection, and the
// result describes the error in one phrase.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "apps/kit/http/listen.h"
#include "sotto/protocol/transport/io.h"
#include "sotto/protocol/transport/tls/identity.h"

namespace sotto::apps {

struct HttpUrl {
  ListenAt service;
  std::string path;  // path with the query; starts with '/'
  bool tls = false;  // https
};

// Reads "http://host:port/path" (port 80 if none is given), "https://host:port/path" (443) or
// "http://unix:/run/features.sock:/path". For any other text throws an InputError that says what was expected. `where`
// names the setting in the error.
[[nodiscard]] HttpUrl parse_http_url(std::string_view text, const std::string& where);

// Throws InputError if someone on the network path could read the request. A request by http can be read if the host is
// neither localhost nor a loopback address. A request by https can be read if the fingerprint of the service's
// certificate is not set. `where` names the two settings in the error.
struct UrlSettings {
  std::string url;
  std::string fingerprint;
};
void require_private(const HttpUrl& url, const std::string& fingerprint, const UrlSettings& where);

// Wraps the given connection so that nobody else can read the bytes on the connection.
using WrapStream = std::function<std::unique_ptr<net::ByteStream>(std::unique_ptr<net::ByteStream>)>;
// Wraps connections in TLS, and accepts only the service whose certificate has the given fingerprint. The client shows
// `self` if the service asks for a certificate. `setting` is the name that errors use for the setting with the
// fingerprint.
[[nodiscard]] WrapStream pinned_tls(const net::Identity& self, const std::string& fingerprint,
                                    const std::string& setting);

struct HttpResult {
  std::string failure;  // one phrase; empty if an answer came, whatever its status
  unsigned status = 0;
  std::string type;
  std::string body;
};

struct HttpClientConfig {
  ListenAt service;
  std::size_t longest_answer = std::size_t{8} << 20;  // most bytes of the body of an answer
  std::size_t most_waiting = 64;                      // most requests that may wait
  std::function<net::Clock::time_point()> now{};      // a clock for tests; if set, deadlines pass only in tick()
  WrapStream wrap{};                                  // wraps each connection; if not set, connections are unchanged
};

class HttpClient {
 public:
  using Done = std::function<void(HttpResult&&)>;

  // Makes a client that is not connected yet. `io` must outlive the client.
  HttpClient(net::Io& io, HttpClientConfig config);
  // Gives up all requests under way without calling `done`.
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // Posts JSON to the path. `done` is called once, from within io.run_for() or from tick().
  void post_json(const std::string& path, std::string body, net::Clock::time_point deadline, Done done);
  // Sends a request with any method and headers, which must be valid. `headers` are whole lines with their line ends.
  void ask(const std::string& method, const std::string& path, const std::string& headers, std::string body,
           net::Clock::time_point deadline, Done done);

  void tick();
  [[nodiscard]] std::size_t waiting() const noexcept;

 private:
  class Core;
  std::shared_ptr<Core> core_;
};

}  // namespace sotto::apps
