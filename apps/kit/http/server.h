// A small HTTP/1.1 server on the thread of its Io, where no handler may block. A connection takes about 1 KB of memory,
// in addition to incomplete requests and unsent answers. TLS adds 35 KB to an idle connection and 70 KB to any other
// connection. If all connections together hold more than most_held_bytes, the server ends those that have held their
// bytes longest. A request that is still arriving then receives status 503.
//
// If there are already most_connections connections, a new client replaces another. The first choice is a client that
// has sent no request yet, and the second choice is an idle client. The third choice is a client whose network has at
// least two connections more than the network of the new client. On a Unix socket, each user counts as a network. A
// client that is replaced during a request, and a new client that finds no room, receive status 503.
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
  // The server listens at once. `io` must outlive the server. Throws InputError for TCP beyond loopback without TLS, or
  // for TCP without a token. Throws InputError for an address of another machine, a token file that other users can
  // read, or a certificate that is not valid today. Throws ResourceError if another program listens on the address.
  HttpServer(net::Io& io, HttpConfig config, Router router);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  [[nodiscard]] std::string address() const;
  // Throws InputError, and keeps the old tokens, if a token file cannot be used.
  void read_token_again();
  void take(std::unique_ptr<net::ByteStream> stream, const std::string& network);

  // Accepts no more connections, and closes each connection once its request is answered. Requests without an answer
  // after `within` receive status 503.
  void stop(std::chrono::milliseconds within);
  [[nodiscard]] bool stopped() const noexcept;

  // Needed only if HttpConfig::now is set.
  void tick();

  [[nodiscard]] std::size_t connections() const noexcept;
  [[nodiscard]] std::size_t requests() const noexcept;  // not answered yet
  [[nodiscard]] std::size_t held_bytes() const noexcept;

 private:
  std::shared_ptr<HttpServerCore> core_;
};

// `metrics` must outlive the server.
[[nodiscard]] Route metrics_route(const Metrics& metrics);

}  // namespace sotto::apps
