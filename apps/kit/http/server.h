// A small HTTP/1.1 server on the loop of its process: it takes requests within bounds, asks for a token where it
// listens on TCP, finds the handler, and sends its answers. It knows no program.
//
// One thread, that of the Io: everything happens from within Io::run_for(), and no handler may wait. A connection has
// one request at a time; what a client sends ahead waits until that one is answered.
//
// Bounds: the limits below, and those of a route's body. A connection takes its place, about 1 KB, what its client has
// sent of a request that is not whole, and what it has not taken of an answer; TLS's record buffers add 35 KB while it
// is idle, 70 KB else. Where all connections together hold more than most_held_bytes, the request that has been coming
// in for longest is refused with 503, or the client that has not taken its answer for longest is dropped.
//
// When max connections are there, a newcomer takes the place of one that has sent no request yet, else of an idle one,
// else of one of a network (of a Unix socket: a user) that has two places more than the newcomer's; always at random
// within the network that has the most (include/sotto/protocol/transport/tcp/listener.h). Who gives way in the midst of
// a request, and a newcomer for whom there is no place, are told so: 503.
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
  // Listens, and serves as `io` runs, which must outlive this. Throws InputError if the config cannot be: TCP without a
  // token, or beyond loopback without TLS; an address that is not here; a token file that others can read; a
  // certificate that is not valid today. ResourceError if another program listens there.
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
  std::shared_ptr<HttpServerCore> core_;
};

// GET /metrics, of all that is in `metrics`, which must outlive the server.
[[nodiscard]] Route metrics_route(const Metrics& metrics);

}  // namespace sotto::apps
