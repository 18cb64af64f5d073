#include "sotto/apps/bandit/role/arm_socket.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include "sotto/core/error/errors.h"
#include "sotto/core/system/descriptor.h"

namespace sotto::apps {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int wake_milliseconds = 100;  // how late an interrupt may be noticed

Descriptor unix_socket() {
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (socket.get() < 0) throw ResourceError(fmt::format("no socket for the pulled arms: {}", std::strerror(errno)));
  return socket;
}

sockaddr_un address_of(const std::filesystem::path& path) {
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

// Waits until the descriptor is readable. False if the deadline passed.
bool wait_readable(int fd, Clock::time_point deadline, const std::atomic<bool>& interrupted) {
  while (true) {
    if (interrupted) throw Interrupted();
    pollfd waiting{fd, POLLIN, 0};
    if (::poll(&waiting, 1, wake_milliseconds) > 0) return true;
    if (Clock::now() >= deadline) return false;
  }
}

Clock::time_point in(double seconds) {
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

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
      wait_readable(socket_.get(), Clock::time_point::max(), interrupted_);
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
  const sockaddr_un address = address_of(path);
  Descriptor listener = unix_socket();
  const mode_t before = ::umask(0077);
  const int bound = ::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  ::umask(before);
  if (bound != 0 || ::listen(listener.get(), 1) != 0) {
    throw ResourceError(fmt::format("{}: cannot listen for the pulled arms: {}", path.string(), std::strerror(errno)));
  }
  if (!wait_readable(listener.get(), in(deadline_seconds), interrupted)) {
    throw NetworkError("actor",
                       fmt::format("the actor did not come to {} within {} s", path.string(), deadline_seconds));
  }
  Descriptor accepted(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (accepted.get() < 0) throw NetworkError("actor", fmt::format("the actor left {} at once", path.string()));
  return std::make_unique<ArmSocket>(std::move(accepted), interrupted);
}

std::unique_ptr<ArmLink> connect_for_arms(const std::filesystem::path& path, double deadline_seconds,
                                          const std::atomic<bool>& interrupted) {
  const sockaddr_un address = address_of(path);
  const Clock::time_point deadline = in(deadline_seconds);
  while (true) {
    Descriptor socket = unix_socket();
    if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
      return std::make_unique<ArmSocket>(std::move(socket), interrupted);
    }
    if (interrupted) throw Interrupted();
    if (Clock::now() >= deadline) {
      throw NetworkError(
          "rewarder", fmt::format("no rewarder listens at {} after {} s: start it, or check arm_socket in both configs",
                                  path.string(), deadline_seconds));
    }
    ::poll(nullptr, 0, wake_milliseconds);
  }
}

}  // namespace sotto::apps
