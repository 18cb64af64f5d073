#include "sotto/protocol/transport/tcp/listener.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <random>
#include <unordered_map>

#include "net/transport/asio.h"
#include "net/transport/tcp/resolve.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/transport/stream.h"

namespace sotto::net {
namespace {

constexpr std::chrono::milliseconds until_there_are_descriptors{200};
// Thousands of clients may come at once.
constexpr int most_waiting = 1024;

void refuse(const Address& address, const error_code& error) {
  if (error == asio::error::address_in_use) {
    throw ResourceError(fmt::format(
        "cannot listen on {}: {}; stop the program that holds the port (ss -ltnp shows it) or choose another port",
        address.text(), error.message()));
  }
  if (error.value() == EADDRNOTAVAIL) {
    throw InputError(
        fmt::format("cannot listen on {}: this machine does not have that address; set listen in [role] to one that it "
                    "has, or to 0.0.0.0:{}",
                    address.text(), address.port));
  }
  throw ResourceError(fmt::format("cannot listen on {}: {}", address.text(), error.message()));
}

error_code listen_on(tcp::acceptor& acceptor, const std::string& host, std::uint16_t port) {
  error_code error;
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

asio::ip::address unmapped(const asio::ip::address& from) {
  if (!from.is_v6() || !from.to_v6().is_v4_mapped()) return from;
  return asio::ip::make_address_v4(asio::ip::v4_mapped, from.to_v6());
}

std::string network_of(const asio::ip::address& from) {
  if (from.is_v4()) return from.to_string();
  asio::ip::address_v6::bytes_type bytes = from.to_v6().to_bytes();
  std::fill(bytes.begin() + 8, bytes.end(), static_cast<unsigned char>(0));
  return asio::ip::address_v6(bytes).to_string();
}

constexpr rlim_t other_descriptors = 64;

std::size_t random_below(std::size_t count) {
  static thread_local std::mt19937_64 random{std::random_device{}()};
  return std::uniform_int_distribution<std::size_t>(0, count - 1)(random);
}

}  // namespace

// Handlers have a weak pointer to this object, because they may run after its end.
class TcpListener::Socket : public std::enable_shared_from_this<Socket> {
 public:
  void accept_on(Io& io, Take take) {
    take_ = std::move(take);
    error_code ignored;
    const tcp protocol = acceptor.local_endpoint(ignored).protocol();
    const int descriptor = acceptor.release();
    acceptor = tcp::acceptor(*io.context(), protocol, descriptor);
    own_.reset();
    timer_.emplace(*io.context());
    next();
  }
  // Other threads may ask for the address while this thread accepts.
  void remember_address() {
    const tcp::endpoint local = acceptor.local_endpoint();
    address = Address{local.address().to_string(), local.port()};
  }
  void stop() noexcept {
    error_code ignored;
    stopped_ = true;
    acceptor.cancel(ignored);
    if (timer_) timer_->cancel();
  }

 private:
  // In use until accept_on() is called.
  std::optional<Io> own_{std::in_place};

 public:
  tcp::acceptor acceptor{*own_->context()};
  Address address{};

 private:
  void next() {
    acceptor.async_accept([weak = weak_from_this()](const error_code& error, tcp::socket connection) {
      const auto self = weak.lock();
      if (self && !self->stopped_) self->accepted(error, std::move(connection));
    });
  }
  void accepted(const error_code& error, tcp::socket connection) {
    if (error == asio::error::operation_aborted) return;
    if (error == asio::error::no_descriptors || error == asio::error::no_memory ||
        error == asio::error::no_buffer_space) {
      timer_->expires_after(until_there_are_descriptors);
      timer_->async_wait([weak = weak_from_this()](const error_code& stopped) {
        const auto self = weak.lock();
        if (self && !stopped) self->next();
      });
      return take_(std::nullopt, error.message());
    }
    next();
    // remote_endpoint() fails if the peer closed the connection before it was accepted.
    error_code gone = error;
    const tcp::endpoint remote = gone ? tcp::endpoint() : connection.remote_endpoint(gone);
    if (gone) return;
    tune_for_frames(connection.native_handle());
    const asio::ip::address from = unmapped(remote.address());
    take_(Accepted{std::make_unique<DescriptorStream>(connection.release()),
                   Address{from.to_string(), remote.port()}.text(), network_of(from)},
          "");
  }

  Take take_;
  std::optional<asio::steady_timer> timer_;
  bool stopped_ = false;
};

TcpListener::TcpListener(const Address& address) : socket_(std::make_shared<Socket>()) {
  const Resolved found = resolve_now(address.host);
  if (found.hosts.empty()) {
    throw InputError(
        fmt::format("cannot listen on {}: the name cannot be resolved: {}; check its spelling, or set listen in [role]",
                    address.text(), found.failure));
  }
  error_code first;
  for (const std::string& host : found.hosts) {
    const error_code error = listen_on(socket_->acceptor, host, address.port);
    if (!error) {
      socket_->remember_address();
      return;
    }
    if (!first) first = error;
    error_code ignored;
    socket_->acceptor.close(ignored);
  }
  refuse(address, first);
}

TcpListener::TcpListener(int descriptor) : socket_(std::make_shared<Socket>()) {
  error_code error;
  sockaddr_storage bound{};
  socklen_t size = sizeof bound;
  const bool six =
      getsockname(descriptor, reinterpret_cast<sockaddr*>(&bound), &size) == 0 && bound.ss_family == AF_INET6;
  socket_->acceptor.assign(six ? tcp::v6() : tcp::v4(), descriptor, error);
  if (!error) socket_->acceptor.listen(most_waiting, error);
  if (!error) socket_->acceptor.non_blocking(true, error);
  const tcp::endpoint local = error ? tcp::endpoint() : socket_->acceptor.local_endpoint(error);
  if (error || local.port() == 0) throw InputError(fmt::format("descriptor {} is not a bound TCP socket", descriptor));
  socket_->remember_address();
}

TcpListener::TcpListener(TcpListener&&) noexcept = default;
TcpListener& TcpListener::operator=(TcpListener&&) noexcept = default;
TcpListener::~TcpListener() = default;

Address TcpListener::address() const { return socket_->address; }

void TcpListener::accept_on(Io& io, Take take) { socket_->accept_on(io, std::move(take)); }

void TcpListener::stop() noexcept { socket_->stop(); }

int TcpListener::release() { return socket_->acceptor.release(); }

std::size_t network_to_drop(std::span<const std::string_view> networks) {
  std::unordered_map<std::string_view, std::size_t> counts;
  std::size_t most = 0;
  for (const std::string_view network : networks) most = std::max(most, ++counts[network]);
  const auto is_of_most = [&](std::string_view network) { return counts[network] == most; };
  const auto candidates = std::count_if(networks.begin(), networks.end(), is_of_most);
  std::size_t left = random_below(static_cast<std::size_t>(candidates));
  for (std::size_t i = 0;; ++i) {
    if (is_of_most(networks[i]) && left-- == 0) return i;
  }
}

std::size_t connections_within_limit(std::size_t wanted) noexcept {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return wanted;
  const rlim_t needed = wanted + other_descriptors;
  if (limit.rlim_cur < needed && limit.rlim_cur < limit.rlim_max) {
    rlimit raised = limit;
    raised.rlim_cur = std::min(needed, limit.rlim_max);
    if (setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
  }
  const rlim_t kept = std::min(other_descriptors, limit.rlim_cur / 2);
  return static_cast<std::size_t>(std::min<rlim_t>(wanted, limit.rlim_cur - kept));
}

std::string Address::text() const {
  return host.find(':') == std::string::npos ? fmt::format("{}:{}", host, port) : fmt::format("[{}]:{}", host, port);
}

Address parse_address(std::string_view text, const std::string& where) {
  const auto refuse = [&] {
    throw InputError(
        where,
        fmt::format(
            "'{}' is no address: expected host:port, such as 127.0.0.1:4000 or [::1]:4000, with a port of 1 to 65535",
            text));
  };
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) refuse();
  std::string_view host = text.substr(0, colon);
  const std::string_view digits = text.substr(colon + 1);
  if (host.front() == '[' && host.back() == ']' && host.size() > 2) {
    host = host.substr(1, host.size() - 2);
  } else if (host.find_first_of(":[] ") != std::string_view::npos) {
    refuse();
  }
  unsigned port = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (error != std::errc{} || end != digits.data() + digits.size() || port == 0 || port > 65535) refuse();
  return Address{std::string(host), static_cast<std::uint16_t>(port)};
}

bool is_loopback_itself(std::string_view host) noexcept {
  if (host == "localhost") return true;
  boost::system::error_code error;
  const asio::ip::address address = asio::ip::make_address(host, error);
  return !error && address.is_loopback();
}

bool is_loopback(const std::string& host) {
  const Resolved found = resolve_now(host);
  if (found.hosts.empty()) {
    throw NetworkError(host,
                       fmt::format("the host '{}' cannot be resolved: {}; check its spelling", host, found.failure));
  }
  return std::all_of(found.hosts.begin(), found.hosts.end(), is_loopback_itself);
}

}  // namespace sotto::net
