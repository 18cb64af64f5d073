// A client of one HTTP service, which sends one request after the other over a persistent connection.
//
// If the connection was closed between two requests, the client repeats the request once, so a request may arrive
// twice.
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
  std::string path;  // with the query
  bool tls = false;
};

// Reads "http://host:port/path" (port 80 if none is given), "https://host:port/path" (443) or
// "http://unix:/run/features.sock:/path".
[[nodiscard]] HttpUrl parse_http_url(std::string_view text, const std::string& where);

// The places of the two settings in a config, for error messages.
struct UrlSettings {
  std::string url;
  std::string fingerprint;
};
// Throws InputError if someone on the network path could read the request. A request by http needs a loopback address.
// A request by https needs the fingerprint of the service's certificate.
void require_private(const HttpUrl& url, const std::string& fingerprint, const UrlSettings& where);

using WrapStream = std::function<std::unique_ptr<net::ByteStream>(std::unique_ptr<net::ByteStream>)>;
// TLS that accepts only the service whose certificate has the given fingerprint. The client shows the certificate of
// `self` if the service asks for a certificate.
[[nodiscard]] WrapStream pinned_tls(const net::Identity& self, const std::string& fingerprint,
                                    const std::string& setting);

struct HttpResult {
  std::string failure;  // empty if an answer came
  unsigned status = 0;
  std::string type;
  std::string body;
};

struct HttpClientConfig {
  ListenAt service;
  std::size_t longest_answer = std::size_t{8} << 20;
  std::size_t most_waiting = 64;
  std::function<net::Clock::time_point()> now{};  // for tests; then deadlines pass only in tick()
  WrapStream wrap{};
};

class HttpClient {
 public:
  using Done = std::function<void(HttpResult&&)>;

  // `io` must outlive the client.
  HttpClient(net::Io& io, HttpClientConfig config);
  // The destructor does not call `done`.
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // `done` is called once, within io.run_for() or tick().
  void post_json(const std::string& path, std::string body, net::Clock::time_point deadline, Done done);
  // `headers` are whole lines with line ends.
  void ask(const std::string& method, const std::string& path, const std::string& headers, std::string body,
           net::Clock::time_point deadline, Done done);

  void tick();
  [[nodiscard]] std::size_t waiting() const noexcept;

 private:
  class Core;
  std::shared_ptr<Core> core_;
};

}  // namespace sotto::apps
