#include "net/transport/tcp/connector.h"

#include <algorithm>
#include <random>
#include <vector>

#include "net/transport/asio.h"
#include "net/transport/tcp/resolve.h"
#include "sotto/protocol/transport/stream.h"

namespace sotto::net {
namespace {

constexpr std::chrono::milliseconds longest_pause{1000};
constexpr std::chrono::seconds longest_attempt{5};  // for a peer that does not answer
constexpr std::size_t longest_last_failure = 300;

}  // namespace

// Handlers have a weak pointer to this object, because they may run after its end.
class TcpConnector::Attempts : public std::enable_shared_from_this<Attempts> {
 public:
  Attempts(Io& io, Address to) : address(std::move(to)), io_(io), socket_(*io.context()), timer_(*io.context()) {}

  // Each attempt resolves the name again, because the resolver may learn the name only when the peer starts.
  void begin() {
    resolve(io_, address.host, [weak = weak_from_this()](const Resolved& resolved) {
      if (const auto self = weak.lock()) self->take_hosts(resolved);
    });
  }
  void pause() {
    std::uniform_int_distribution<std::int64_t> part(pause_.count() / 2, pause_.count());
    timer_.expires_after(std::chrono::milliseconds(part(random_)));
    pause_ = std::min(2 * pause_, longest_pause);
    timer_.async_wait([weak = weak_from_this()](error_code error) {
      const auto self = weak.lock();
      if (self && !error) self->begin();
    });
  }
  // The text says what became of each address of the host.
  void note(const std::string& why) {
    if (next_ <= 1 || last_failure.size() > longest_last_failure) last_failure.clear();
    if (!last_failure.empty()) last_failure += ", ";
    last_failure += host_ == address.host ? why : host_ + ": " + why;
  }
  [[nodiscard]] bool resolved() const noexcept { return !hosts_.empty(); }

  const Address address;
  std::unique_ptr<ByteStream> stream;
  std::string last_failure;
  bool out_of_descriptors = false;

 private:
  void take_hosts(const Resolved& resolved);
  void connect_next();
  void finish(const error_code& error);

  Io& io_;
  std::vector<std::string> hosts_;  // numeric addresses
  std::size_t next_ = 0;
  std::string host_;  // tried now
  tcp::socket socket_;
  asio::steady_timer timer_;  // ends an attempt or a pause
  std::chrono::milliseconds pause_{10};
  std::minstd_rand random_{std::random_device{}()};  // only for jitter
};

void TcpConnector::Attempts::take_hosts(const Resolved& resolved) {
  hosts_ = resolved.hosts;
  next_ = 0;
  if (!hosts_.empty()) return connect_next();
  last_failure = "the name '" + address.host + "' cannot be resolved: " + resolved.failure;
  pause();
}

void TcpConnector::Attempts::connect_next() {
  host_ = hosts_[next_++];
  socket_ = tcp::socket(socket_.get_executor());
  timer_.expires_after(longest_attempt);
  timer_.async_wait([weak = weak_from_this()](error_code error) {
    const auto self = weak.lock();
    if (self && !error) self->socket_.close(error);
  });
  error_code error;
  const tcp::endpoint endpoint(asio::ip::make_address(host_, error), address.port);
  socket_.async_connect(endpoint, [weak = weak_from_this()](const error_code& result) {
    if (const auto self = weak.lock()) self->finish(result);
  });
}

void TcpConnector::Attempts::finish(const error_code& error) {
  timer_.cancel();
  out_of_descriptors = error == asio::error::no_descriptors;
  std::string why = error == asio::error::operation_aborted ? "no answer" : error.message();
  error_code ignored;
  // On loopback an attempt may connect to itself.
  if (!error && socket_.local_endpoint(ignored) == socket_.remote_endpoint(ignored)) {
    why = "connection refused";
  } else if (!error) {
    tune_for_frames(socket_.native_handle());
    stream = std::make_unique<DescriptorStream>(socket_.release());
    return;
  }
  note(why);
  socket_.close(ignored);
  next_ < hosts_.size() ? connect_next() : pause();
}

TcpConnector::TcpConnector(Io& io, const Address& address) : attempts_(std::make_shared<Attempts>(io, address)) {
  attempts_->begin();
}
TcpConnector::TcpConnector(TcpConnector&&) noexcept = default;
TcpConnector& TcpConnector::operator=(TcpConnector&&) noexcept = default;
TcpConnector::~TcpConnector() = default;

const Address& TcpConnector::address() const noexcept { return attempts_->address; }

std::unique_ptr<ByteStream> TcpConnector::take() { return std::move(attempts_->stream); }

void TcpConnector::failed(const std::string& why) {
  attempts_->note(why);
  attempts_->pause();
}

bool TcpConnector::resolved() const noexcept { return attempts_->resolved(); }

const std::string& TcpConnector::last_failure() const noexcept { return attempts_->last_failure; }

bool TcpConnector::out_of_descriptors() const noexcept { return attempts_->out_of_descriptors; }

}  // namespace sotto::net
