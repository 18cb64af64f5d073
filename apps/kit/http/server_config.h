// Where an HTTP server listens, whom it lets in, and its bounds.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "apps/kit/http/listen.h"
#include "apps/kit/metrics/metrics.h"
#include "sotto/protocol/transport/io.h"
#include "sotto/protocol/transport/tls/identity.h"

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
  // Called with the pattern of a route whose handler failed over what is no fault of its client, and with the error,
  // which the client is not told.
  std::function<void(const std::string& pattern, const std::string& error)> on_failure{};
  // Called with every answer: the pattern of its route ("other" where there is none), its status, and the seconds since
  // the first byte of the request.
  std::function<void(const std::string& pattern, unsigned status, double seconds)> on_answer{};
  Metrics* metrics = nullptr;  // sotto_http_requests_total and sotto_http_seconds go there; must outlive the server
};

}  // namespace sotto::apps
