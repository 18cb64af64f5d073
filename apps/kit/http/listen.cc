#include "apps/kit/http/listen.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/crypto.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

#include "apps/kit/files/output_file.h"
#include "net/transport/tls/key_file.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/transport/stream.h"
#include "sotto/protocol/wire/hash.h"

namespace sotto::apps {
namespace {

constexpr std::string_view unix_prefix = "unix:";
constexpr mode_t socket_mode = 0660;
constexpr int most_waiting = 1024;
constexpr int most_at_once = 64;
constexpr std::chrono::milliseconds until_there_are_descriptors{200};

std::string system_text(int error) { return std::generic_category().message(error); }

void require_length(const std::filesystem::path& path, const std::string& where) {
  if (path.native().size() <= longest_unix_path) return;
  throw InputError(where, fmt::format("the path of a Unix socket has at most {} bytes, this one has {}: choose a "
                                      "shorter one",
                                      longest_unix_path, path.native().size()));
}

sockaddr_un address_of(const std::filesystem::path& path) {
  require_length(path, path.string());
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), path.native().size() + 1);
  return address;
}

Descriptor new_socket() {
  Descriptor made(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (made.get() < 0)
    throw ResourceError(fmt::format("no socket can be made: {}; raise ulimit -n", system_text(errno)));
  return made;
}

int call_with(int (*call)(int, const sockaddr*, socklen_t), int socket, const sockaddr_un& address) {
  return call(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 ? 0 : errno;
}

void remove_stale(const std::filesystem::path& path, const sockaddr_un& address) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) {
    if (errno == ENOENT) return;
    throw InputError(path.string(), fmt::format("cannot be looked at: {}", system_text(errno)));
  }
  if (!S_ISSOCK(status.st_mode)) {
    throw InputError(path.string(), "there is something that is no socket: choose another path, or move it away");
  }
  const Descriptor probe = new_socket();
  const int error = call_with(::connect, probe.get(), address);
  if (error != ECONNREFUSED) {
    throw ResourceError(
        fmt::format("cannot listen at unix:{}: another program does; stop it or choose another path", path.string()));
  }
  ::unlink(path.c_str());
}

std::string user_at(int socket) {
  ucred user{};
  socklen_t size = sizeof user;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &user, &size) != 0) return "user unknown";
  return fmt::format("user {}", user.uid);
}

bool is_token_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("-._~+/=").find(c) != std::string_view::npos;
}

std::array<std::byte, 32> read_token(const std::filesystem::path& file) {
  require_private(file, "run `chmod 600` on it, and make a new token if anybody may have read it");
  const net::SecretText text = net::read_small_file(file, net::Readers::anybody);
  std::string_view token(text.data(), text.size());
  if (token.ends_with('\n')) token.remove_suffix(1);
  if (token.ends_with('\r')) token.remove_suffix(1);
  if (token.size() < shortest_token || token.size() > longest_token) {
    throw InputError(file.string(), fmt::format("a token has {} to {} characters, this one has {}: `openssl rand -hex "
                                                "32` makes one",
                                                shortest_token, longest_token, token.size()));
  }
  if (!std::all_of(token.begin(), token.end(), is_token_character)) {
    throw InputError(file.string(),
                     "a token is of letters, digits and - . _ ~ + / =, on one line: `openssl rand -hex "
                     "32` makes one");
  }
  return sha256(token);
}

}  // namespace

ListenAt parse_listen(std::string_view text, const std::string& where) {
  if (!text.starts_with(unix_prefix)) return net::parse_address(text, where);
  UnixPath at{text.substr(unix_prefix.size())};
  if (!at.path.is_absolute() || at.path.native().find('\0') != std::string::npos || !at.path.has_filename()) {
    throw InputError(where, "expected unix: and an absolute path, such as unix:/run/sotto/actor.sock");
  }
  require_length(at.path, where);
  return at;
}

UnixListener::UnixListener(std::filesystem::path path) : path_(std::move(path)) {
  const sockaddr_un address = address_of(path_);
  remove_stale(path_, address);
  socket_ = new_socket();
  // The socket file gets this mode, less the umask.
  ::fchmod(socket_.get(), socket_mode);
  const int error = call_with(::bind, socket_.get(), address);
  if (error == EADDRINUSE) {
    throw ResourceError(fmt::format("cannot listen at unix:{}: another program has just begun to", path_.string()));
  }
  if (error != 0) {
    throw InputError(path_.string(), fmt::format("no socket can be made here: {}; make its folder, writable for this "
                                                 "user",
                                                 system_text(error)));
  }
  struct stat status {};
  const bool ready = ::chmod(path_.c_str(), socket_mode) == 0 && ::lstat(path_.c_str(), &status) == 0 &&
                     ::listen(socket_.get(), most_waiting) == 0;
  device_ = status.st_dev;
  inode_ = status.st_ino;
  if (!ready) {
    const int why = errno;
    ::unlink(path_.c_str());
    throw ResourceError(fmt::format("cannot listen at unix:{}: {}", path_.string(), system_text(why)));
  }
}

UnixListener::~UnixListener() { stop(); }

void UnixListener::stop() noexcept {
  if (socket_.get() < 0) return;
  wait_.reset();
  struct stat status {};
  if (::lstat(path_.c_str(), &status) == 0 && status.st_dev == device_ && status.st_ino == inode_) {
    ::unlink(path_.c_str());
  }
  socket_.close();
}

void UnixListener::accept_on(net::Io& io, net::TcpListener::Take take) {
  take_ = std::move(take);
  wait_ = std::make_unique<net::Wait>(io, [this] { accept_all(); });
  wait();
}

void UnixListener::wait() { wait_->wait({socket_.get(), true, false, net::Clock::time_point::max()}); }

void UnixListener::accept_all() {
  for (int i = 0; i < most_at_once && socket_.get() >= 0; ++i) {
    const int accepted = ::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (accepted >= 0) {
      const std::string user = user_at(accepted);
      take_(net::TcpListener::Accepted{std::make_unique<net::DescriptorStream>(accepted), user, user}, "");
      continue;
    }
    const int error = errno;
    if (error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM) {
      // Until accept4() is called again, the connection waits in the kernel's queue.
      wait_->wait({-1, false, false, net::Clock::now() + until_there_are_descriptors});
      return take_(std::nullopt, system_text(error));
    }
    if (error == EAGAIN || error == EWOULDBLOCK) break;
  }
  if (socket_.get() >= 0) wait();
}

TokenGuard::TokenGuard(std::filesystem::path file) : file_(std::move(file)), digest_(read_token(file_)) {}

void TokenGuard::read_again() { digest_ = read_token(file_); }

bool TokenGuard::admits(std::string_view authorization) const {
  constexpr std::string_view scheme = "bearer ";
  const auto same_letter = [](char given, char expected) { return (given | 0x20) == expected || given == expected; };
  if (authorization.size() < scheme.size() ||
      !std::equal(scheme.begin(), scheme.end(), authorization.begin(),
                  [&](char expected, char given) { return same_letter(given, expected); })) {
    return false;
  }
  authorization.remove_prefix(scheme.size());
  while (authorization.starts_with(' ')) authorization.remove_prefix(1);
  const std::array<std::byte, 32> given = sha256(authorization);
  return CRYPTO_memcmp(given.data(), digest_.data(), digest_.size()) == 0;
}

}  // namespace sotto::apps
