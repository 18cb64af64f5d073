// A small HTTP/1.1 server on the loop of its process. It takes requests within limits, asks for a token if it listens
// on TCP, finds the handler, and sends the answer. It is independent of any program.
//
// The server has one thread, that of the Io. Everything happens from within Io::run_for(), and no handler may wait. A
// connection has one request at a time. Requests that a client sends ahead wait until that request is answered.
//
// Limits: the limits of HttpLimits, and those of a route's body. A connection takes about 1 KB of memory for its place.
// It also takes memory for the received part of an incomplete request, and for the part of an answer that the client
// has not taken. TLS's record buffers add 35 KB while the connection is idle, and 70 KB otherwise. If all connections
// together hold more than most_held_bytes, one of them ends. Either the request that has been arriving for longest is
// refused with 503, or the client that has not taken its answer for longest is dropped.
//
// If most_connections exist, a new client takes the place of another client. The first choice is a client that has sent
// no request yet, the second an idle one. The third is a client of a network (of a Unix socket: a user) that has two
// places more than the new client's network. The choice is always at random within the network that has the most
// (include/sotto/protocol/transport/tcp/listener.h). A client that gives way during a request receives 503, and so does
// a new client for which there is no place.
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
  // Listens, and serves while `io` runs. `io` must outlive the server. Throws InputError if the config is invalid: TCP
  // beyond loopback without TLS, or TCP without a token. Throws InputError for an address of another machine, a token
  // file that others can read, and a certificate that is not valid today. Throws ResourceError if another program
  // listens there.
  HttpServer(net::Io& io, HttpConfig config, Router router);
  // Closes all connections at once.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // The address that the server listens on, such as "unix:/run/sotto/actor.sock" or "127.0.0.1:8080".
  [[nodiscard]] std::string address() const;
  // Reads the token files again. If that fails (InputError), the old tokens are still valid.
  void read_token_again();
  // Takes a connection that was made elsewhere, as a connection from `network`.
  void take(std::unique_ptr<net::ByteStream> stream, const std::string& network);

  // Takes no more connections, closes the idle connections, answers the requests under way, and closes after each
  // answer. Requests left after `within` are answered with 503 and closed. A second call can only make the end earlier.
  void stop(std::chrono::milliseconds within);
  // True if every connection has ended after stop().
  [[nodiscard]] bool stopped() const noexcept;

  // Does everything that is due by now. Needed if the config has its own clock.
  void tick();

  [[nodiscard]] std::size_t connections() const noexcept;
  [[nodiscard]] std::size_t requests() const noexcept;    // requests that handlers have not answered yet
  [[nodiscard]] std::size_t held_bytes() const noexcept;  // the bytes that most_held_bytes limits

 private:
  std::shared_ptr<HttpServerCore> core_;
};

// GET /metrics with all series of `metrics`, which must outlive the server.
[[nodiscard]] Route metrics_route(const Metrics& metrics);

}  // namespace sotto::apps
