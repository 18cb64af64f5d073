#include "apps/bandit/run/sites/local_socket.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "sotto/protocol/error/errors.h"

namespace sotto::apps::bandit::run {

Descriptor unix_socket(const char* purpose) {
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (socket.get() < 0) throw ResourceError(fmt::format("no socket for {}: {}", purpose, std::strerror(errno)));
  return socket;
}

sockaddr_un unix_address(const std::filesystem::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string text = path.string();
  if (text.size() >= sizeof address.sun_path) {
    throw ResourceError(
        fmt::format("{}: too long for a socket's path, {} bytes at most", text, sizeof address.sun_path - 1));
  }
  std::memcpy(address.sun_path, text.c_str(), text.size() + 1);
  return address;
}

std::optional<Descriptor> connect_within(double seconds, const std::filesystem::path& path, const char* purpose,
                                         const std::atomic<bool>& interrupted) {
  const sockaddr_un address = unix_address(path);
  const SocketClock::time_point deadline = seconds_from_now(seconds);
  while (true) {
    Descriptor socket = unix_socket(purpose);
    if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return socket;
    if (interrupted) throw Interrupted();
    if (SocketClock::now() >= deadline) return std::nullopt;
    ::poll(nullptr, 0, wake_milliseconds);
  }
}

short wait_for_events(int descriptor, short events, SocketClock::time_point deadline,
                      const std::atomic<bool>& interrupted) {
  while (true) {
    if (interrupted) throw Interrupted();
    pollfd waiting{descriptor, events, 0};
    if (::poll(&waiting, 1, wake_milliseconds) > 0) return waiting.revents;
    if (SocketClock::now() >= deadline) return 0;
  }
}

SocketClock::time_point seconds_from_now(double seconds) {
  return SocketClock::now() + std::chrono::duration_cast<SocketClock::duration>(std::chrono::duration<double>(seconds));
}

}  // namespace sotto::apps::bandit::run
