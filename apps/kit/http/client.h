// A client of one HTTP service. It sends one request after the other on a persistent connection, on the loop of its
// process. A party uses it to pull features from a service, and tests use it.
//
// If the service closed the connection between two requests, the client connects again once, unless a part of the
// answer had already come. A request may therefore arrive twice, and the service must tolerate that. Every request has
// a deadline, and every answer a size limit. An error is one phrase in the result, and ends the connection.
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
// "http://unix:/run/features.sock:/path". Throws InputError that says what was expected. `where` names the setting.
[[nodiscard]] HttpUrl parse_http_url(std::string_view text, const std::string& where);

// Throws InputError if someone on the path could read the request. This is the case for http to a host that is neither
// localhost nor a loopback address, and for https without the fingerprint of the service's certificate. `where` names
// the two settings.
struct UrlSettings {
  std::string url;
  std::string fingerprint;
};
void require_private(const HttpUrl& url, const std::string& fingerprint, const UrlSettings& where);

// Wraps the given connection so that nobody else can read it.
using WrapStream = std::function<std::unique_ptr<net::ByteStream>(std::unique_ptr<net::ByteStream>)>;
// TLS to the only service that holds the certificate. The client shows `self` if the service asks for a certificate.
// `setting` names the setting of the fingerprint.
[[nodiscard]] WrapStream pinned_tls(const net::Identity& self, const std::string& fingerprint,
                                    const std::string& setting);

struct HttpResult {
  std::string failure;  // one phrase; empty if an answer came, with any status
  unsigned status = 0;
  std::string type;
  std::string body;
};

struct HttpClientConfig {
  ListenAt service;
  std::size_t longest_answer = std::size_t{8} << 20;  // most bytes of the body of an answer
  std::size_t most_waiting = 64;                      // most requests that may wait
  std::function<net::Clock::time_point()> now{};      // for tests: deadlines then pass only in tick()
  WrapStream wrap{};                                  // wraps each connection; not set: connections are used unchanged
};

class HttpClient {
 public:
  using Done = std::function<void(HttpResult&&)>;

  // The constructor does not connect yet. `io` must outlive the client.
  HttpClient(net::Io& io, HttpClientConfig config);
  // Gives up all requests under way without calling `done`.
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // `done` is called once, from within io.run_for() or from tick().
  void post_json(const std::string& path, std::string body, net::Clock::time_point deadline, Done done);
  // Sends any method and headers, which must be sound. `headers` are whole lines with their line ends.
  void ask(const std::string& method, const std::string& path, const std::string& headers, std::string body,
           net::Clock::time_point deadline, Done done);

  void tick();
  [[nodiscard]] std::size_t waiting() const noexcept;

 private:
  class Core;
  std::shared_ptr<Core> core_;
};

}  // namespace sotto::apps
