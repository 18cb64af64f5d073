// Ports for roles that are processes: a config names a port before anybody listens on it.
//
// A port that the system gives is of the range from which it also takes ports for connections, so it may be gone again
// by the time that a role wants it. These are below that range, and each test process has its own: it holds the UDP
// port that stands for its block, for as long as it lives.
#pragma once

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/framework.h"

namespace sotto::testing {

class Ports {
 public:
  // "127.0.0.1:12345", on which nothing listens; another one each time.
  static std::string take() {
    static Ports ports;
    const std::lock_guard lock(ports.mutex_);
    for (;;) {
      if (ports.next_ % block == 0) ports.claim_block();
      const std::uint16_t port = ports.next_++;
      if (const int socket = bound(SOCK_STREAM, port); socket >= 0) {
        ::close(socket);
        return "127.0.0.1:" + std::to_string(port);
      }
    }
  }

 private:
  static constexpr std::uint16_t first = 12'000;
  static constexpr std::uint16_t last = 32'000;
  static constexpr std::uint16_t block = 50;

  // A socket on that port, or -1.
  static int bound(int type, std::uint16_t port) {
    const int socket = ::socket(AF_INET, type | SOCK_CLOEXEC, 0);
    const int yes = 1;
    if (type == SOCK_STREAM) ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return socket;
    ::close(socket);
    return -1;
  }

  // The socket stays open until the process ends.
  void claim_block() {
    for (std::uint16_t begin = first; begin < last; begin += block) {
      if (bound(SOCK_DGRAM, begin) < 0) continue;
      next_ = begin + 1;
      return;
    }
    throw std::runtime_error("no ports are left for the test");
  }

  std::mutex mutex_;
  std::uint16_t next_ = 0;
};

}  // namespace sotto::testing
