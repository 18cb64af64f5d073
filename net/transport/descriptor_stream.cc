#include "sotto/net/transport/descriptor_stream.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace sotto::net {
namespace {

constexpr int send_flags = MSG_DONTWAIT | MSG_NOSIGNAL;

}  // namespace

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
  return {static_cast<std::size_t>(bytes), State::moved};
}

ByteStream::Transfer DescriptorStream::sent(ssize_t bytes) noexcept {
  if (bytes < 0) return stopped(errno);
  return {static_cast<std::size_t>(bytes), bytes == 0 ? State::would_block : State::moved};
}

ByteStream::Transfer DescriptorStream::write_some(std::span<const std::byte> head, std::span<const std::byte> body) {
  if (head.empty()) return sent(send(descriptor_, body.data(), body.size(), send_flags));
  // sendmsg does not write through these pointers, but its type is shared with recvmsg.
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

}  // namespace sotto::net
