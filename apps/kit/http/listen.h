// Where an HTTP server listens: a Unix socket, or a TCP port.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "core/system/descriptor.h"
#include "sotto/protocol/transport/tcp/listener.h"

namespace sotto::apps {

struct UnixPath {
  std::filesystem::path path;
  friend bool operator==(const UnixPath&, const UnixPath&) = default;
};

using ListenAt = std::variant<UnixPath, net::Address>;

// Reads "unix:/run/sotto/actor.sock" or "127.0.0.1:8080". Throws InputError that says what was expected; `where` names
// the flag or the line. The path is absolute and at most longest_unix_path bytes long.
[[nodiscard]] ListenAt parse_listen(std::string_view text, const std::string& where);
inline constexpr std::size_t longest_unix_path = 107;  // sun_path and its end

// A Unix socket of mode 0660 that takes connections. The file goes when this does, unless another has taken its place.
class UnixListener {
 public:
  // A socket file that no process listens on any more is replaced. Throws InputError if the path is too long, its
  // folder is missing or something else has its name; ResourceError if another process listens there.
  explicit UnixListener(std::filesystem::path path);
  UnixListener(const UnixListener&) = delete;
  UnixListener& operator=(const UnixListener&) = delete;
  ~UnixListener();

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  // As TcpListener::accept_on(): `network` is the user at the other end, "user 1000".
  void accept_on(net::Io& io, net::TcpListener::Take take);
  // No more connections, and no file.
  void stop() noexcept;

 private:
  void accept_all();
  void wait();

  std::filesystem::path path_;
  Descriptor socket_;
  std::uint64_t device_ = 0;  // of the file, with its number
  std::uint64_t inode_ = 0;
  net::TcpListener::Take take_;
  std::unique_ptr<net::Wait> wait_;
};

}  // namespace sotto::apps
