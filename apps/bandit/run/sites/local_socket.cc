#include "apps/bandit/run/sites/local_socket.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

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

namespace {

constexpr const char* purpose = "the pulled arms";

class ArmSocket final : public ArmLink {
 public:
  ArmSocket(Descriptor socket, const std::atomic<bool>& interrupted)
      : socket_(std::move(socket)), interrupted_(interrupted) {}

  void send(std::uint64_t step, std::size_t arm) override {
    const Message message{step, arm};
    if (::send(socket_.get(), &message, sizeof message, MSG_NOSIGNAL) != static_cast<ssize_t>(sizeof message)) {
      throw NetworkError("rewarder", "the rewarder's environment has gone away: look at the rewarder's own message");
    }
  }

  std::size_t receive(std::uint64_t step) override {
    Message message{};
    std::size_t got = 0;
    while (got < sizeof message) {
      (void)wait_for_events(socket_.get(), POLLIN, SocketClock::time_point::max(), interrupted_);
      const ssize_t count =
          ::recv(socket_.get(), reinterpret_cast<std::byte*>(&message) + got, sizeof message - got, 0);
      if (count <= 0) throw NetworkError("actor", "the actor has gone away: look at the actor's own message");
      got += static_cast<std::size_t>(count);
    }
    if (message.step != step) {
      throw ProtocolError(ProtocolError::Kind::wrong_round, "actor", step,
                          fmt::format("the actor pulled an arm for step {} where step {} was due", message.step, step));
    }
    return message.arm;
  }

 private:
  struct Message {
    std::uint64_t step;
    std::uint64_t arm;
  };
  Descriptor socket_;
  const std::atomic<bool>& interrupted_;
};

}  // namespace

std::unique_ptr<ArmLink> listen_for_arms(const std::filesystem::path& path, double deadline_seconds,
                                         const std::atomic<bool>& interrupted) {
  const sockaddr_un address = unix_address(path);
  Descriptor listener = unix_socket(purpose);
  const mode_t before = ::umask(0077);
  const int bound = ::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  ::umask(before);
  if (bound != 0 || ::listen(listener.get(), 1) != 0) {
    throw ResourceError(fmt::format("{}: cannot listen for the pulled arms: {}", path.string(), std::strerror(errno)));
  }
  if (wait_for_events(listener.get(), POLLIN, seconds_from_now(deadline_seconds), interrupted) == 0) {
    throw NetworkError("actor",
                       fmt::format("the actor did not come to {} within {} s", path.string(), deadline_seconds));
  }
  Descriptor accepted(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (accepted.get() < 0) throw NetworkError("actor", fmt::format("the actor left {} at once", path.string()));
  return std::make_unique<ArmSocket>(std::move(accepted), interrupted);
}

std::unique_ptr<ArmLink> connect_for_arms(const std::filesystem::path& path, double deadline_seconds,
                                          const std::atomic<bool>& interrupted) {
  std::optional<Descriptor> socket = connect_within(deadline_seconds, path, purpose, interrupted);
  if (!socket) {
    throw NetworkError(
        "rewarder", fmt::format("no rewarder listens at {} after {} s: start it, or check arm_socket in both configs",
                                path.string(), deadline_seconds));
  }
  return std::make_unique<ArmSocket>(*std::move(socket), interrupted);
}

}  // namespace sotto::apps::bandit::run
