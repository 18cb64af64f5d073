#include "sotto/net/transport/tcp/listener.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <cerrno>

#include "sotto/core/error/errors.h"
#include "sotto/net/transport/descriptor_stream.h"
#include "sotto/net/transport/tcp/asio.h"
#include "sotto/net/transport/tcp/look_up.h"
#include "sotto/net/transport/tcp/tune.h"

namespace sotto::net {
namespace asio = boost::asio;
using asio::ip::tcp;
using ErrorCode = boost::system::error_code;

struct TcpListener::Socket {
  asio::io_context context;
  tcp::acceptor acceptor{context};
};

namespace {

// Connections that the system keeps until they are accepted: thousands of clients come at once.
constexpr int most_waiting = 1024;

void refuse(const Address& address, const ErrorCode& error) {
  if (error == asio::error::address_in_use) {
    throw ResourceError(
        fmt::format("cannot listen on {}: {}; stop the program that holds the port (ss -ltnp shows "
                    "it) or choose another port",
                    address.text(), error.message()));
  }
  if (error.value() == EADDRNOTAVAIL) {
    throw InputError(
        fmt::format("cannot listen on {}: this machine does not have that address; set listen in "
                    "[role] to one that it has, or to 0.0.0.0:{}",
                    address.text(), address.port));
  }
  throw ResourceError(fmt::format("cannot listen on {}: {}", address.text(), error.message()));
}

ErrorCode listen_on(tcp::acceptor& acceptor, const std::string& host, std::uint16_t port) {
  ErrorCode error;
  const asio::ip::address numeric = asio::ip::make_address(host, error);
  const tcp::endpoint endpoint(numeric, port);
  if (!error) acceptor.open(endpoint.protocol(), error);
  if (!error && numeric.is_v6()) acceptor.set_option(asio::ip::v6_only(false), error);
  if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(most_waiting, error);
  if (!error) acceptor.non_blocking(true, error);
  return error;
}

}  // namespace

TcpListener::TcpListener(const Address& address) : socket_(make_with_context<Socket>()) {
  const Found found = look_up_now(address.host);
  if (found.hosts.empty()) {
    throw InputError(
        fmt::format("cannot listen on {}: the name cannot be resolved: {}; check its "
                    "spelling, or set listen in [role]",
                    address.text(), found.failure));
  }
  ErrorCode first;
  for (const std::string& host : found.hosts) {
    const ErrorCode error = listen_on(socket_->acceptor, host, address.port);
    if (!error) return;
    if (!first) first = error;
    ErrorCode ignored;
    socket_->acceptor.close(ignored);
  }
  refuse(address, first);
}

TcpListener::TcpListener(int descriptor) : socket_(make_with_context<Socket>()) {
  ErrorCode error;
  sockaddr_storage bound{};
  socklen_t size = sizeof bound;
  const bool six = getsockname(descriptor, reinterpret_cast<sockaddr*>(&bound), &size) == 0 &&
                   bound.ss_family == AF_INET6;
  socket_->acceptor.assign(six ? tcp::v6() : tcp::v4(), descriptor, error);
  if (!error) socket_->acceptor.listen(most_waiting, error);
  if (!error) socket_->acceptor.non_blocking(true, error);
  const tcp::endpoint local = error ? tcp::endpoint() : socket_->acceptor.local_endpoint(error);
  if (error || local.port() == 0) {
    throw InputError(fmt::format("descriptor {} is not a bound TCP socket", descriptor));
  }
}

TcpListener::TcpListener(TcpListener&&) noexcept = default;
TcpListener& TcpListener::operator=(TcpListener&&) noexcept = default;
TcpListener::~TcpListener() = default;

Address TcpListener::address() const {
  const tcp::endpoint local = socket_->acceptor.local_endpoint();
  return Address{local.address().to_string(), local.port()};
}

Waitable TcpListener::wait_for() const {
  return Waitable{socket_->acceptor.native_handle(), true, false, Clock::time_point::max()};
}

std::optional<TcpListener::Accepted> TcpListener::accept() {
  ErrorCode error;
  tcp::endpoint remote;
  tcp::socket connection = socket_->acceptor.accept(remote, error);
  if (error == asio::error::no_descriptors || error == asio::error::no_memory ||
      error == asio::error::no_buffer_space) {
    throw ResourceError(fmt::format("a connection to {} cannot be accepted: {}; raise ulimit -n",
                                    address().text(), error.message()));
  }
  // Anything else is a connection that came and went, or none.
  if (error) return std::nullopt;
  tune_for_frames(connection.native_handle());
  asio::ip::address from = remote.address();
  if (from.is_v6() && from.to_v6().is_v4_mapped()) {
    from = asio::ip::make_address_v4(asio::ip::v4_mapped, from.to_v6());
  }
  return Accepted{std::make_unique<DescriptorStream>(connection.release()),
                  Address{from.to_string(), remote.port()}.text()};
}

int TcpListener::release() { return socket_->acceptor.release(); }

}  // namespace sotto::net
