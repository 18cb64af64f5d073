// A small HTTP/1.1 server on the loop of its process: it takes requests within bounds, asks for a token where it listens
// on TCP, finds the handler, and sends its answers. It knows no program.
//
// One thread, that of the Io: everything happens from within Io::run_for(), and no handler may wait. A connection has one
// request at a time; what a client sends ahead waits until that one is answered.
//
// Bounds: the limits below, and those of a route's body. A connection takes its place, about 1 KB, what its client has
// sent of a request that is not whole, and what it has not taken of an answer; TLS's record buffers add 35 KB while it is
// idle, 70 KB else. Where all connections together hold more than most_held_bytes, the request that has been coming in
// for longest is refused with 503, or the client that has not taken its answer for longest is dropped.
//
// When max connections are there, a newcomer takes the place of one that has sent no request yet, else of an idle one,
// else of one of a network (of a Unix socket: a user) that has two places more than the newcomer's; always at random
// within the network that has the most (net/transport/tcp/listener.h). Who gives way in the midst of a request, and a
// newcomer for whom there is no place, are told so: 503.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "sotto/apps/kit/http/listen.h"
#include "sotto/apps/kit/http/router.h"
#include "sotto/apps/kit/metrics/metrics.h"
#include "sotto/net/transport/io.h"
#include "sotto/net/transport/tls/identity.h"

namespace sotto::apps {

struct HttpLimits {
  std::size_t most_connections = 256;                    // fewer where the limit of descriptors is lower
  std::size_t longest_header = std::size_t{16} << 10;    // bytes; also of input that waits for its turn
  std::size_t most_held_bytes = std::size_t{128} << 20;  // of all connections together
  std::chrono::milliseconds header_within{10'000};       // from the first byte on; of a new connection, with TLS
  std::chrono::milliseconds body_within{60'000};         // from the end of the header on
  std::chrono::milliseconds taken_within{60'000};        // an answer, by its client
  std::chrono::milliseconds idle_for{60'000};            // between requests
};

struct HttpConfig {
  ListenAt listen = UnixPath{};                     // an empty path: nowhere, all connections come by take()
  std::optional<std::filesystem::path> token_file;  // must be there for TCP
  // Beside it: of a token for the routes that have `for_readers`.
  std::optional<std::filesystem::path> reader_token_file{};
  std::shared_ptr<const net::Identity> tls;  // none: plaintext; must be there for TCP beyond loopback
  HttpLimits limits{};
  // The time, for tests: then nothing happens by itself when a deadline passes, but in tick().
  std::function<net::Clock::time_point()> now{};
  // Called with the pattern of a route whose handler failed over what is no fault of its client, and with the error, which
  // the client is not told.
  std::function<void(const std::string& pattern, const std::string& error)> on_failure{};
  // Called with every answer: the pattern of its route ("other" where there is none), its status, and the seconds since
  // the first byte of the request.
  std::function<void(const std::string& pattern, unsigned status, double seconds)> on_answer{};
  Metrics* metrics = nullptr;  // sotto_http_requests_total and sotto_http_seconds go there; must outlive the server
};

class HttpServer {
 public:
  // Listens, and serves as `io` runs, which must outlive this. Throws InputError if the config cannot be: TCP without a
  // token, or beyond loopback without TLS; an address that is not here; a token file that others can read; a certificate
  // that is not valid today. ResourceError if another program listens there.
  HttpServer(net::Io& io, HttpConfig config, Router router);
  // Cuts all connections.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // "unix:/run/sotto/actor.sock", "127.0.0.1:8080".
  [[nodiscard]] std::string address() const;
  // Reads the token files again; where that fails (InputError), the old tokens still hold.
  void read_token_again();
  // Takes a connection that was made elsewhere, as one of `network`.
  void take(std::unique_ptr<net::ByteStream> stream, const std::string& network);

  // Takes no more connections, closes the idle ones, answers what is under way and closes behind each answer. What is
  // left after `within` is answered with 503 and closed. A second call can only bring that end forward.
  void stop(std::chrono::milliseconds within);
  // After stop(): every connection has ended.
  [[nodiscard]] bool stopped() const noexcept;

  // Does what is due by now. For a clock of the config's own.
  void tick();

  [[nodiscard]] std::size_t connections() const noexcept;
  [[nodiscard]] std::size_t requests() const noexcept;    // that handlers have and have not answered
  [[nodiscard]] std::size_t held_bytes() const noexcept;  // of what most_held_bytes bounds

 private:
  class Core;
  std::shared_ptr<Core> core_;
};

// GET /metrics, of all that is in `metrics`, which must outlive the server.
[[nodiscard]] Route metrics_route(const Metrics& metrics);

}  // namespace sotto::apps
