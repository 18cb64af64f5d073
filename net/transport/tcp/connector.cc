#include "sotto/net/transport/tcp/connector.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <random>
#include <vector>

#include "sotto/net/transport/descriptor_stream.h"
#include "sotto/net/transport/tcp/asio.h"
#include "sotto/net/transport/tcp/look_up.h"
#include "sotto/net/transport/tcp/tune.h"

namespace sotto::net {
namespace asio = boost::asio;
using asio::ip::tcp;
using ErrorCode = boost::system::error_code;

namespace {
constexpr std::chrono::milliseconds longest_pause{1000};
constexpr std::chrono::seconds longest_attempt{5};  // where packets vanish without an answer
constexpr std::size_t longest_failure = 300;
}  // namespace

struct TcpConnector::Parts {
  std::optional<LookUp> look_up;
  std::vector<std::string> hosts;  // numeric, of the last look-up
  std::size_t next = 0;
  std::string host;  // the one that is tried
  asio::io_context context;
  tcp::socket socket{context};
  std::minstd_rand random{std::random_device{}()};  // jitter guards nothing
};

TcpConnector::TcpConnector(const Address& address)
    : address_(address), parts_(make_with_context<Parts>()) {}
TcpConnector::TcpConnector(TcpConnector&&) noexcept = default;
TcpConnector& TcpConnector::operator=(TcpConnector&&) noexcept = default;
TcpConnector::~TcpConnector() = default;

std::unique_ptr<ByteStream> TcpConnector::poll() {
  if (stage_ == Stage::pausing && Clock::now() >= next_attempt_) {
    parts_->next < parts_->hosts.size() ? connect_next() : look_up();
  }
  if (stage_ == Stage::looking_up && parts_->look_up->done()) take_hosts();
  return stage_ == Stage::connecting ? finish_connecting() : nullptr;
}

// Names are looked up anew each time round: a peer that starts late may be new to the resolver.
void TcpConnector::look_up() {
  parts_->look_up.emplace(address_.host);
  stage_ = Stage::looking_up;
}

void TcpConnector::take_hosts() {
  Found found = parts_->look_up->take();
  parts_->look_up.reset();
  parts_->hosts = std::move(found.hosts);
  parts_->next = 0;
  if (parts_->hosts.empty()) {
    last_failure_ = "the name '" + address_.host + "' cannot be resolved: " + found.failure;
    pause();
  } else {
    connect_next();
  }
}

void TcpConnector::connect_next() {
  Parts& p = *parts_;
  p.host = p.hosts[p.next++];
  ErrorCode error;
  const asio::ip::address host = asio::ip::make_address(p.host, error);
  const tcp::endpoint endpoint(host, address_.port);
  p.socket = tcp::socket(p.context);
  if (!error) p.socket.open(endpoint.protocol(), error);
  if (!error) p.socket.non_blocking(true, error);
  if (!error) p.socket.connect(endpoint, error);
  out_of_descriptors_ = error == asio::error::no_descriptors;
  if (error && error != asio::error::in_progress && error != asio::error::would_block) {
    return attempt_failed(error.message());
  }
  stage_ = Stage::connecting;
  attempt_ends_ = Clock::now() + longest_attempt;
}

std::unique_ptr<ByteStream> TcpConnector::finish_connecting() {
  tcp::socket& socket = parts_->socket;
  pollfd descriptor{socket.native_handle(), POLLOUT, 0};
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
  ErrorCode ignored;
  // A port that nobody listens on can, on loopback, be the very port that the attempt came from.
  if (socket.local_endpoint(ignored) == socket.remote_endpoint(ignored)) {
    attempt_failed("connection refused");
    return nullptr;
  }
  tune_for_frames(descriptor.fd);
  stage_ = Stage::pausing;
  return std::make_unique<DescriptorStream>(socket.release());
}

void TcpConnector::attempt_failed(const std::string& why) {
  Parts& p = *parts_;
  note(why);
  ErrorCode ignored;
  p.socket.close(ignored);
  if (p.next < p.hosts.size()) {
    stage_ = Stage::pausing;
    next_attempt_ = Clock::now();  // the next address at once
  } else {
    pause();
  }
}

void TcpConnector::failed(const std::string& why) {
  note(why);
  pause();
}

// Of a host with several addresses it is said what became of each.
void TcpConnector::note(const std::string& why) {
  const Parts& p = *parts_;
  if (p.next <= 1 || last_failure_.size() > longest_failure) last_failure_.clear();
  if (!last_failure_.empty()) last_failure_ += ", ";
  last_failure_ += p.host == address_.host ? why : p.host + ": " + why;
}

void TcpConnector::pause() {
  stage_ = Stage::pausing;
  std::uniform_int_distribution<std::int64_t> part(pause_.count() / 2, pause_.count());
  next_attempt_ = Clock::now() + std::chrono::milliseconds(part(parts_->random));
  pause_ = std::min(2 * pause_, longest_pause);
}

bool TcpConnector::resolved() const noexcept { return !parts_->hosts.empty(); }

Waitable TcpConnector::wait_for() const {
  switch (stage_) {
    case Stage::looking_up:
      return parts_->look_up->wait_for();
    case Stage::connecting:
      return Waitable{parts_->socket.native_handle(), false, true, attempt_ends_};
    case Stage::pausing:
      break;
  }
  return Waitable{-1, false, false, next_attempt_};
}

}  // namespace sotto::net
