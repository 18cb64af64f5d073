// The address that an HTTP server listens on: a Unix socket or a TCP port.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "apps/kit/metrics/metrics.h"
#include "core/system/descriptor.h"
#include "sotto/protocol/transport/io.h"
#include "sotto/protocol/transport/tcp/listener.h"
#include "sotto/protocol/transport/tls/identity.h"

namespace sotto::apps {

struct UnixPath {
  std::filesystem::path path;
  friend bool operator==(const UnixPath&, const UnixPath&) = default;
};

using ListenAt = std::variant<UnixPath, net::Address>;

// Parses an address such as "unix:/run/sotto/actor.sock" or "127.0.0.1:8080". For an invalid address throws an
// InputError that says what was expected. `where` names the flag or the config line in the error. The path of a Unix
// socket must be absolute and at most longest_unix_path bytes long.
[[nodiscard]] ListenAt parse_listen(std::string_view text, const std::string& where);
inline constexpr std::size_t longest_unix_path = 107;  // the size of sun_path without the final NUL

// A Unix socket of mode 0660 that accepts connections. The destructor removes the socket file unless another file has
// replaced the socket file.
class UnixListener {
 public:
  // Listens at `path`, and replaces a socket file on which no process listens any more. Throws InputError if the path
  // is too long, its folder is missing, or the file at `path` is no socket. Throws ResourceError if another process
  // listens at `path`.
  explicit UnixListener(std::filesystem::path path);
  UnixListener(const UnixListener&) = delete;
  UnixListener& operator=(const UnixListener&) = delete;
  ~UnixListener();

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  // Accepts connections as TcpListener::accept_on() does. `network` is the user at the other end, such as "user 1000".
  void accept_on(net::Io& io, net::TcpListener::Take take);
  // Stops accepting connections and removes the socket file.
  void stop() noexcept;

 private:
  void accept_all();
  void wait();

  std::filesystem::path path_;
  Descriptor socket_;
  std::uint64_t device_ = 0;  // device of the socket file; identifies the file together with inode_
  std::uint64_t inode_ = 0;
  net::TcpListener::Take take_;
  std::unique_ptr<net::Wait> wait_;
};

// The bearer token of a TCP port, from a file that only its owner can read.
//
// The token file has 32 to 512 characters of A-Z a-z 0-9 - . _ ~ + / with = at the end (RFC 6750). A line end may
// follow the token. The command `openssl rand -hex 32` makes such a token. The TokenGuard stores only the SHA-256 of
// the token. TokenGuard compares the SHA-256 of the two tokens in constant time, so that the time reveals neither
// length nor content.

inline constexpr std::size_t shortest_token = 32;
inline constexpr std::size_t longest_token = 512;

class TokenGuard {
 public:
  // If the file cannot be read, if other users can read the file, or if it has no valid token, throws an InputError
  // that names the file.
  explicit TokenGuard(std::filesystem::path file);

  // Reads the token from the file again. Throws the same errors as the constructor of TokenGuard. After an error the
  // old token is still valid.
  void read_again();
  // Whether `authorization` consists of "Bearer" and the token.
  [[nodiscard]] bool admits(std::string_view authorization) const;
  [[nodiscard]] bool is_same_token(const TokenGuard& other) const { return digest_ == other.digest_; }

 private:
  std::filesystem::path file_;
  std::array<std::byte, 32> digest_;
};

// The config of an HTTP server: the address that it listens on, the clients that it admits, and its limits.

struct HttpLimits {
  std::size_t most_connections = 256;                    // most connections; fewer if the limit of descriptors is lower
  std::size_t longest_header = std::size_t{16} << 10;    // most bytes of a header, and of input sent ahead
  std::size_t most_held_bytes = std::size_t{128} << 20;  // most bytes held by all connections together
  std::chrono::milliseconds header_within{10'000};       // time from a header's first byte; includes TLS at the start
  std::chrono::milliseconds body_within{60'000};         // time for the body, from the end of the header on
  std::chrono::milliseconds taken_within{60'000};        // time for the client to take an answer
  std::chrono::milliseconds idle_for{60'000};            // time for which a connection may be idle
};

struct HttpConfig {
  // With an empty path, the server has no address and gets connections only by HttpServer::take().
  ListenAt listen = UnixPath{};
  std::optional<std::filesystem::path> token_file;  // required for TCP
  // An additional token, which is enough for the routes whose `for_readers` is true.
  std::optional<std::filesystem::path> reader_token_file{};
  std::shared_ptr<const net::Identity> tls;  // not set: plaintext; required for TCP beyond loopback
  HttpLimits limits{};
  // A clock for tests. If this clock is set, deadlines take effect only in tick().
  std::function<net::Clock::time_point()> now{};
  // Called with the pattern of the route and the error when a handler fails through no fault of its client. The client
  // does not receive the text of the error.
  std::function<void(const std::string& pattern, const std::string& error)> on_failure{};
  // Called for every answer, with the pattern of the route ("other" if there is no route), the status, and the seconds
  // since the first byte of the request.
  std::function<void(const std::string& pattern, unsigned status, double seconds)> on_answer{};
  Metrics* metrics = nullptr;  // gets sotto_http_requests_total and sotto_http_seconds; must outlive the server
};

}  // namespace sotto::apps
