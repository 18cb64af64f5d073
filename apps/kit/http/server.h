// A small HTTP/1.1 server on the event loop of its process. The server accepts requests within limits, requires a token
// if it listens on TCP, finds the handler, and sends the answer. The server does not depend on any program.
//
// The server runs on one thread, the thread of the Io. All work happens within Io::run_for(), and no handler may block.
// A connection has one request at a time. Requests that a client sends ahead wait until the present request is
// answered.
//
// HttpLimits has the limits of the server, and each route has a limit for the body. A connection takes about 1 KB of
// memory. A connection takes more memory for the received part of an incomplete request, and for the part of an answer
// that the client has not taken. TLS's record buffers add 35 KB to an idle connection and 70 KB to any other
// connection. If all connections together hold more than most_held_bytes, the server ends the connection that has held
// its bytes longest. A request that is still arriving is refused with status 503, and a client that has not taken its
// answer is dropped.
//
// If there are already most_connections connections, a new client takes the place of another client. The first choice
// is a client that has sent no request yet, and the second choice is an idle client. The third choice is a client of a
// network that has at least two places more than the new client's network. On a Unix socket, each user counts as a
// network. The server chooses at random among the candidates of the network that has the most candidates
// (include/sotto/protocol/transport/tcp/listener.h). A client that gives way during a request receives status 503. A
// new client for which there is no place also receives status 503.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "apps/kit/http/listen.h"
#include "apps/kit/http/router.h"
#include "apps/kit/metrics/metrics.h"
#include "sotto/protocol/transport/io.h"

namespace sotto::apps {

class HttpServerCore;

class HttpServer {
 public:
  // Listens at once, and serves while `io` runs. `io` must outlive the server. Throws InputError for TCP beyond
  // loopback without TLS, and for TCP without a token. Throws InputError for an address of another machine, a token
  // file that other users can read, and a certificate that is not valid today. Throws ResourceError if another program
  // listens on the address.
  HttpServer(net::Io& io, HttpConfig config, Router router);
  // Closes all connections at once.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // The address that the server listens on, such as "unix:/run/sotto/actor.sock" or "127.0.0.1:8080".
  [[nodiscard]] std::string address() const;
  // Reads the token files again. If a token file cannot be used, throws InputError, and the old tokens are still valid.
  void read_token_again();
  // Serves a connection that the caller made, as a connection from `network`.
  void take(std::unique_ptr<net::ByteStream> stream, const std::string& network);

  // Accepts no more connections, closes the idle connections, answers the requests under way, and closes each
  // connection after its answer. Requests that still have no answer after the time `within` are answered with status
  // 503, and their connections are closed. A second call of stop() can only make the end earlier.
  void stop(std::chrono::milliseconds within);
  // True if every connection has ended after stop().
  [[nodiscard]] bool stopped() const noexcept;

  // Does all work that is due by now. Callers need tick() only if HttpConfig::now is set.
  void tick();

  [[nodiscard]] std::size_t connections() const noexcept;
  [[nodiscard]] std::size_t requests() const noexcept;    // requests that handlers have not answered yet
  [[nodiscard]] std::size_t held_bytes() const noexcept;  // the bytes that HttpLimits::most_held_bytes limits

 private:
  std::shared_ptr<HttpServerCore> core_;
};

// The route GET /metrics, which shows all series of `metrics`. `metrics` must outlive the server.
[[nodiscard]] Route metrics_route(const Metrics& metrics);

}  // namespace sotto::apps
