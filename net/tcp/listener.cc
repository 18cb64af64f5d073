#include "net/tcp/listener.h"

#include <fmt/format.h>

#include "core/error/errors.h"
#include "net/descriptor_stream.h"
#include "net/tcp/asio.h"
#include "net/tcp/tune.h"

namespace sotto::net {
namespace asio = boost::asio;
using asio::ip::tcp;
using ErrorCode = boost::system::error_code;

struct TcpListener::Socket {
  asio::io_context context;
  tcp::acceptor acceptor{context};
};

TcpListener::TcpListener(const Address& address) : socket_(std::make_unique<Socket>()) {
  require_loopback(address, "this role");
  const auto check = [&](const ErrorCode& error) {
    if (!error) return;
    throw ResourceError(
        fmt::format("cannot listen on {}: {}; stop the program that holds the port (ss -ltnp shows "
                    "it) or choose another port",
                    address.text(), error.message()));
  };
  ErrorCode error;
  tcp::resolver resolver(socket_->context);
  const auto found =
      resolver.resolve(address.host, std::to_string(address.port), tcp::resolver::passive, error);
  check(error);
  const tcp::endpoint endpoint = found.begin()->endpoint();
  check(socket_->acceptor.open(endpoint.protocol(), error));
  check(socket_->acceptor.set_option(tcp::acceptor::reuse_address(true), error));
  check(socket_->acceptor.bind(endpoint, error));
  check(socket_->acceptor.listen(64, error));
  check(socket_->acceptor.non_blocking(true, error));
}

TcpListener::TcpListener(int descriptor) : socket_(std::make_unique<Socket>()) {
  ErrorCode error;
  socket_->acceptor.assign(tcp::v4(), descriptor, error);
  if (!error) socket_->acceptor.listen(64, error);
  if (!error) socket_->acceptor.non_blocking(true, error);
  const tcp::endpoint local = error ? tcp::endpoint() : socket_->acceptor.local_endpoint(error);
  if (error || local.port() == 0) {
    throw InputError(fmt::format("descriptor {} is not a bound TCP socket", descriptor));
  }
  require_loopback(address(), "this role");
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
  return Accepted{std::make_unique<DescriptorStream>(connection.release()),
                  Address{remote.address().to_string(), remote.port()}.text()};
}

int TcpListener::release() { return socket_->acceptor.release(); }

}  // namespace sotto::net
