#include "sotto/net/transport/tcp/tune.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cstring>
#include <string_view>

namespace sotto::net {
namespace {

bool peer_is_on_this_machine(int descriptor) noexcept {
  sockaddr_storage peer{};
  socklen_t size = sizeof peer;
  if (getpeername(descriptor, reinterpret_cast<sockaddr*>(&peer), &size) != 0) return false;
  if (peer.ss_family == AF_INET) {
    sockaddr_in four{};
    std::memcpy(&four, &peer, sizeof four);
    return (ntohl(four.sin_addr.s_addr) >> 24) == IN_LOOPBACKNET;
  }
  if (peer.ss_family != AF_INET6) return false;
  sockaddr_in6 six{};
  std::memcpy(&six, &peer, sizeof six);
  if (IN6_IS_ADDR_V4MAPPED(&six.sin6_addr)) return six.sin6_addr.s6_addr[12] == IN_LOOPBACKNET;
  return IN6_IS_ADDR_LOOPBACK(&six.sin6_addr);
}

}  // namespace

void tune_for_frames(int descriptor) noexcept {
  const int on = 1;
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  constexpr int seconds_between_probes = 30;
  constexpr int most_probes = 20;
  setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, &seconds_between_probes, sizeof seconds_between_probes);
  setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPINTVL, &seconds_between_probes, sizeof seconds_between_probes);
  setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPCNT, &most_probes, sizeof most_probes);
  if (!peer_is_on_this_machine(descriptor)) return;
  constexpr std::string_view unpaced = "reno";
  setsockopt(descriptor, IPPROTO_TCP, TCP_CONGESTION, unpaced.data(), unpaced.size());
}

}  // namespace sotto::net
