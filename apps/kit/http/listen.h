// The address that an HTTP server listens on, and the token that its clients need.
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

// Parses an address such as "unix:/run/sotto/actor.sock" or "127.0.0.1:8080". Throws an InputError that names `where`
// for any other text.
[[nodiscard]] ListenAt parse_listen(std::string_view text, const std::string& where);
inline constexpr std::size_t longest_unix_path = 107;  // without the NUL

// The socket file has mode 0660, and the destructor removes it.
class UnixListener {
 public:
  // Replaces a socket file on which no process listens any more. Throws InputError if the path is too long, its folder
  // is missing, or the file at `path` is no socket. Throws ResourceError if another process listens at `path`.
  explicit UnixListener(std::filesystem::path path);
  UnixListener(const UnixListener&) = delete;
  UnixListener& operator=(const UnixListener&) = delete;
  ~UnixListener();

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  // The network of an accepted connection names the user at the other end, such as "user 1000".
  void accept_on(net::Io& io, net::TcpListener::Take take);
  void stop() noexcept;

 private:
  void accept_all();
  void wait();

  std::filesystem::path path_;
  Descriptor socket_;
  std::uint64_t device_ = 0;  // of the socket file
  std::uint64_t inode_ = 0;
  net::TcpListener::Take take_;
  std::unique_ptr<net::Wait> wait_;
};

// The bearer token of a TCP port has 32 to 512 characters (RFC 6750). TokenGuard stores only the SHA-256 of the token
// and compares it in constant time.

inline constexpr std::size_t shortest_token = 32;
inline constexpr std::size_t longest_token = 512;

class TokenGuard {
 public:
  // Throws an InputError that names the file if it cannot be read, if other users can read it, or if it has no valid
  // token.
  explicit TokenGuard(std::filesystem::path file);

  // Throws the errors of the constructor. The old token is then still valid.
  void read_again();
  [[nodiscard]] bool admits(std::string_view authorization) const;
  [[nodiscard]] bool is_same_token(const TokenGuard& other) const { return digest_ == other.digest_; }

 private:
  std::filesystem::path file_;
  std::array<std::byte, 32> digest_;
};

struct HttpLimits {
  std::size_t most_connections = 256;                    // fewer if there are few descriptors
  std::size_t longest_header = std::size_t{16} << 10;    // also limits input that arrives while a handler works
  std::size_t most_held_bytes = std::size_t{128} << 20;  // over all connections
  std::chrono::milliseconds header_within{10'000};       // time for the header, TLS included
  std::chrono::milliseconds body_within{60'000};         // time after the header
  std::chrono::milliseconds taken_within{60'000};        // time in which the client must receive an answer
  std::chrono::milliseconds idle_for{60'000};            // between two requests
};

struct HttpConfig {
  // Without a path, the server gets connections only by HttpServer::take().
  ListenAt listen = UnixPath{};
  std::optional<std::filesystem::path> token_file;  // required for TCP
  // This token is accepted only for routes with `for_readers`.
  std::optional<std::filesystem::path> reader_token_file{};
  std::shared_ptr<const net::Identity> tls;  // required for TCP beyond loopback
  HttpLimits limits{};
  // A test may set a clock. Deadlines then pass only in tick().
  std::function<net::Clock::time_point()> now{};
  // The client does not receive the text of the error.
  std::function<void(const std::string& pattern, const std::string& error)> on_failure{};
  // `seconds` count from the request's first byte.
  std::function<void(const std::string& pattern, unsigned status, double seconds)> on_answer{};
  Metrics* metrics = nullptr;  // must outlive the server
};

}  // namespace sotto::apps
