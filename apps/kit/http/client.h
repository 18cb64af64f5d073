// A client of one HTTP service: asks, one request after the other on a connection that stays, on the loop of its
// process. For the service of features that a party pulls from, and for tests.
//
// A connection that the service closed between two requests is made anew, once, if none of the answer had come: so a
// request may arrive twice, and what it asks for must bear that. Every request has a deadline, and an answer a bound;
// whatever goes wrong is one phrase in the result, and ends the connection.
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
  std::string path;  // with the query; begins with '/'
  bool tls = false;  // https
};

// Reads "http://host:port/path" (port 80 if none is given), "https://host:port/path" (443) or
// "http://unix:/run/features.sock:/path". Throws InputError that says what was expected; `where` names the setting.
[[nodiscard]] HttpUrl parse_http_url(std::string_view text, const std::string& where);

// Throws InputError where somebody on the way could read what is sent: http to a host that is neither localhost nor a
// loopback address, or https without the fingerprint of the service's certificate. `where` names the two settings.
struct UrlSettings {
  std::string url;
  std::string fingerprint;
};
void require_private(const HttpUrl& url, const std::string& fingerprint, const UrlSettings& where);

// Makes the connection that is given one that nobody else reads.
using WrapStream = std::function<std::unique_ptr<net::ByteStream>(std::unique_ptr<net::ByteStream>)>;
// TLS to the one service that holds the certificate. `self` is shown where the service asks who calls. `setting` names
// where the fingerprint stands.
[[nodiscard]] WrapStream pinned_tls(const net::Identity& self, const std::string& fingerprint,
                                    const std::string& setting);

struct HttpResult {
  std::string failure;  // one phrase; empty where an answer came, whatever its status
  unsigned status = 0;
  std::string type;
  std::string body;
};

struct HttpClientConfig {
  ListenAt service;
  std::size_t longest_answer = std::size_t{8} << 20;  // bytes of its body
  std::size_t most_waiting = 64;                      // requests
  std::function<net::Clock::time_point()> now{};      // for tests: deadlines then pass in tick() alone
  WrapStream wrap{};                                  // of each connection; none: it stays as it is
};

class HttpClient {
 public:
  using Done = std::function<void(HttpResult&&)>;

  // Does not connect yet. `io` must outlive it.
  HttpClient(net::Io& io, HttpClientConfig config);
  // What is under way is given up, without a call of `done`.
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // `done` is called once, from within io.run_for(), or from tick().
  void post_json(const std::string& path, std::string body, net::Clock::time_point deadline, Done done);
  // With any method and headers, which must be sound; `headers` are whole lines with their ends.
  void ask(const std::string& method, const std::string& path, const std::string& headers, std::string body,
           net::Clock::time_point deadline, Done done);

  void tick();
  [[nodiscard]] std::size_t waiting() const noexcept;

 private:
  class Core;
  std::shared_ptr<Core> core_;
};

}  // namespace sotto::apps
