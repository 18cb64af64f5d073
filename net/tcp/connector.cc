#include "net/tcp/connector.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "net/descriptor_stream.h"
#include "net/tcp/asio.h"
#include "net/tcp/tune.h"

namespace sotto::net {
namespace asio = boost::asio;
using asio::ip::tcp;
using ErrorCode = boost::system::error_code;

namespace {
constexpr std::chrono::milliseconds longest_pause{1000};
constexpr std::chrono::seconds longest_attempt{5};  // where packets vanish without an answer
}  // namespace

struct TcpConnector::Socket {
  asio::io_context context;
  tcp::socket socket{context};
  std::vector<tcp::endpoint> candidates;
  std::size_t next = 0;
};

TcpConnector::TcpConnector(const Address& address, const std::string& whose)
    : address_(address), socket_(std::make_unique<Socket>()) {
  require_loopback(address, whose);
}
TcpConnector::TcpConnector(TcpConnector&&) noexcept = default;
TcpConnector& TcpConnector::operator=(TcpConnector&&) noexcept = default;
TcpConnector::~TcpConnector() = default;

void TcpConnector::begin_attempt() {
  ErrorCode error;
  Socket& s = *socket_;
  if (s.next >= s.candidates.size()) {
    // Names are looked up anew each time round: a peer that starts late may be new to the resolver.
    tcp::resolver resolver(s.context);
    s.candidates.clear();
    s.next = 0;
    for (const auto& entry :
         resolver.resolve(address_.host, std::to_string(address_.port), error)) {
      s.candidates.push_back(entry.endpoint());
    }
    if (error || s.candidates.empty()) return attempt_failed(error.message());
  }
  const tcp::endpoint endpoint = s.candidates[s.next++];
  s.socket = tcp::socket(s.context);
  s.socket.open(endpoint.protocol(), error);
  if (!error) s.socket.non_blocking(true, error);
  if (!error) s.socket.connect(endpoint, error);
  if (error && error != asio::error::in_progress && error != asio::error::would_block) {
    return attempt_failed(error.message());
  }
  connecting_ = true;
  connected_ = !error;
  attempt_ends_ = Clock::now() + longest_attempt;
}

void TcpConnector::attempt_failed(const std::string& why) {
  last_failure_ = why;
  connecting_ = false;
  ErrorCode ignored;
  socket_->socket.close(ignored);
  next_attempt_ = Clock::now();
  if (socket_->next < socket_->candidates.size()) return;  // the next address at once
  next_attempt_ += pause_;
  pause_ = std::min(2 * pause_, longest_pause);
}

std::unique_ptr<ByteStream> TcpConnector::poll() {
  if (!connecting_ && Clock::now() >= next_attempt_) begin_attempt();
  if (!connecting_) return nullptr;
  if (!connected_) {
    pollfd descriptor{socket_->socket.native_handle(), POLLOUT, 0};
    if (::poll(&descriptor, 1, 0) == 0) {
      if (Clock::now() >= attempt_ends_) attempt_failed("no answer");
      return nullptr;
    }
    int result = 0;
    socklen_t length = sizeof result;
    if (getsockopt(descriptor.fd, SOL_SOCKET, SO_ERROR, &result, &length) != 0) result = errno;
    if (result != 0) {
      attempt_failed(ErrorCode(result, boost::system::system_category()).message());
      return nullptr;
    }
  }
  ErrorCode ignored;
  // A port that nobody listens on can, on loopback, be the very port that the attempt came from.
  if (socket_->socket.local_endpoint(ignored) == socket_->socket.remote_endpoint(ignored)) {
    attempt_failed("connection refused");
    return nullptr;
  }
  tune_for_frames(socket_->socket.native_handle());
  connecting_ = connected_ = false;
  return std::make_unique<DescriptorStream>(socket_->socket.release());
}

Waitable TcpConnector::wait_for() const {
  if (!connecting_) return Waitable{-1, false, false, next_attempt_};
  return Waitable{socket_->socket.native_handle(), false, true,
                  connected_ ? Clock::now() : attempt_ends_};
}

}  // namespace sotto::net
