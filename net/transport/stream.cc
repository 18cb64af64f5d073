#include "sotto/protocol/transport/stream.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <system_error>
#include <vector>

#include "sotto/protocol/error/errors.h"

namespace sotto::net {
namespace {

// If no event is wanted, poll() would still report a hang-up, again and again.
bool polls(const Waitable& w) { return w.descriptor >= 0 && (w.reading || w.writing); }

std::uint64_t can_continue(std::span<const Waitable> waitables, const pollfd* polled) {
  constexpr std::size_t most = 64;
  const Clock::time_point now = Clock::now();
  std::uint64_t found = 0;
  for (std::size_t i = 0; i < std::min(waitables.size(), most); ++i) {
    const bool has_event = polls(waitables[i]) && (polled++)->revents != 0;
    if (has_event || waitables[i].ready_at <= now) found |= std::uint64_t{1} << i;
  }
  return found;
}

constexpr int send_flags = MSG_DONTWAIT | MSG_NOSIGNAL;

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

std::uint64_t wait_any(std::span<const Waitable> waitables, std::chrono::nanoseconds at_most) {
  const Clock::time_point now = Clock::now();
  // A role with few links allocates no memory while it waits.
  std::array<pollfd, 16> few;
  std::vector<pollfd> many(waitables.size() > few.size() ? waitables.size() : 0);
  pollfd* const descriptors = many.empty() ? few.data() : many.data();
  nfds_t count = 0;
  for (const Waitable& w : waitables) {
    if (w.ready_at != Clock::time_point::max()) at_most = std::min<std::chrono::nanoseconds>(at_most, w.ready_at - now);
    const int events = (w.reading ? POLLIN : 0) | (w.writing ? POLLOUT : 0);
    if (polls(w)) descriptors[count++] = pollfd{w.descriptor, static_cast<short>(events), 0};
  }
  at_most = std::max(at_most, std::chrono::nanoseconds(0));
  timespec timeout{};
  timeout.tv_sec = static_cast<std::time_t>(at_most.count() / 1'000'000'000);
  timeout.tv_nsec = static_cast<long>(at_most.count() % 1'000'000'000);
  if (ppoll(descriptors, count, &timeout, nullptr) < 0 && errno != EINTR) {
    throw std::system_error(errno, std::generic_category(), "ppoll");
  }
  return can_continue(waitables, descriptors);
}

DescriptorStream::DescriptorStream(int descriptor) : descriptor_(descriptor) {
  const int status = fcntl(descriptor, F_GETFL);
  if (status < 0 || fcntl(descriptor, F_SETFL, status | O_NONBLOCK) < 0 || fcntl(descriptor, F_SETFD, FD_CLOEXEC) < 0) {
    const int error = errno;
    close();
    throw std::system_error(error, std::generic_category(), "a socket cannot be set up");
  }
}

DescriptorStream::~DescriptorStream() { close(); }

ByteStream::Transfer DescriptorStream::stopped(int error) noexcept {
  if (error == EAGAIN || error == EWOULDBLOCK || error == EINTR) return {0, State::would_block};
  error_ = error;
  return {0, State::lost};
}

ByteStream::Transfer DescriptorStream::read_some(std::span<std::byte> into) {
  const ssize_t bytes = recv(descriptor_, into.data(), into.size(), MSG_DONTWAIT);
  if (bytes < 0) return stopped(errno);
  if (bytes == 0) return {0, State::closed};
  const auto count = static_cast<std::size_t>(bytes);
  return {count, State::moved, count < into.size()};
}

ByteStream::Transfer DescriptorStream::sent(ssize_t bytes) noexcept {
  if (bytes < 0) return stopped(errno);
  return {static_cast<std::size_t>(bytes), bytes == 0 ? State::would_block : State::moved};
}

ByteStream::Transfer DescriptorStream::write_some(std::span<const std::byte> head, std::span<const std::byte> body) {
  if (head.empty()) return sent(send(descriptor_, body.data(), body.size(), send_flags));
  // sendmsg does not write through these pointers.
  iovec parts[2] = {{const_cast<std::byte*>(head.data()), head.size()},
                    {const_cast<std::byte*>(body.data()), body.size()}};
  msghdr message{};
  message.msg_iov = parts;
  message.msg_iovlen = body.empty() ? 1 : 2;
  return sent(sendmsg(descriptor_, &message, send_flags));
}

Waitable DescriptorStream::wait_for(bool reading, bool writing) const {
  return Waitable{descriptor_, reading, writing, Clock::time_point::max()};
}

void DescriptorStream::end_writing() noexcept {
  if (descriptor_ >= 0) shutdown(descriptor_, SHUT_WR);
}

void DescriptorStream::close() noexcept {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

std::string DescriptorStream::failure() const { return std::error_code(error_, std::generic_category()).message(); }

std::pair<std::unique_ptr<ByteStream>, std::unique_ptr<ByteStream>> make_stream_pair() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    throw ResourceError(fmt::format("no socket pair: {}; close programs or raise ulimit -n", std::strerror(errno)));
  }
  auto first = std::make_unique<DescriptorStream>(ends[0]);
  auto second = std::make_unique<DescriptorStream>(ends[1]);
  return {std::move(first), std::move(second)};
}

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
