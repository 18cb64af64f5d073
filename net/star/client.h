// A client of a service (net/star/service.h), with one connection.
//
// If the service is not there yet, the client tries again until `retry_for` is over. A connection that is lost later
// stays lost. All functions that wait throw Interrupted when `interrupted` is set.
//
// All functions throw NetworkError if the service is not reached or the connection ends, and TrustError if one end does
// not trust the other. They throw DisagreementError if the peer is another service or has another version. They
// throw ProtocolError if one end sends bytes that are not a message.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "net/star/message_link.h"
#include "net/star/service.h"
#include "net/transport/tcp/connector.h"

namespace sotto::net {

struct ClientConfig {
  Address service;
  ServiceTrust trust;                                   // trusts exactly the service's fingerprint
  std::string name;                                     // of the service
  std::size_t longest_message = std::size_t{16} << 20;  // from the service
  std::chrono::milliseconds retry_for{30'000};
  std::size_t most_queued_bytes = std::size_t{4} << 20;  // above this limit, send() waits
  std::chrono::milliseconds longest_stall{60'000};       // limit for a service that reads nothing
};

class ServiceClient {
 public:
  // Throws InputError if the trust is not valid.
  explicit ServiceClient(ClientConfig config) : ServiceClient(nullptr, std::move(config)) {}
  // Uses the Io of the caller's loop, which must outlive this object. The functions that wait run `io`.
  ServiceClient(Io& io, ClientConfig config) : ServiceClient(&io, std::move(config)) {}
  ServiceClient(ServiceClient&&) noexcept = default;

  // Returns once both ends have greeted. The other functions connect by themselves.
  void connect(const std::atomic<bool>& interrupted = never_interrupted);
  [[nodiscard]] bool connected() const noexcept { return greeted_; }
  // Waits only while more than most_queued_bytes are queued.
  void send(Message message, const std::atomic<bool>& interrupted = never_interrupted);
  // Returns false if the operating system does not have all bytes by the deadline.
  bool flush(Clock::time_point deadline, const std::atomic<bool>& interrupted = never_interrupted);
  // The function does not wait if the deadline is in the past.
  [[nodiscard]] std::optional<Message> receive(Clock::time_point deadline,
                                               const std::atomic<bool>& interrupted = never_interrupted);
  // Returns the next message as the answer. Throws NetworkError if no answer comes by the deadline.
  [[nodiscard]] Message ask(Message message, Clock::time_point deadline,
                            const std::atomic<bool>& interrupted = never_interrupted);
  // Ends the connection in order. Returns false if the service has not closed by the deadline. No other function may be
  // called afterwards.
  bool finish(Clock::time_point deadline, const std::atomic<bool>& interrupted = never_interrupted);

  // Connects, sends, and reads ahead a bounded amount, and never waits.
  void make_progress();
  // The number of bytes that the operating system does not have yet.
  [[nodiscard]] std::size_t queued() const noexcept { return waiting_bytes_ + (link_ ? link_->queued() : 0); }

 private:
  ServiceClient(Io* io, ClientConfig config);

  void advance();
  void try_to_connect();
  void hear_greeting();
  void attempt_failed(const std::string& why);
  void add(Message message);
  [[nodiscard]] std::optional<Message> next();
  [[nodiscard]] std::optional<Message> read_message();
  void read_ahead();
  void start_wait();
  void wait(Clock::time_point until, const std::atomic<bool>& interrupted);
  [[nodiscard]] bool heard_out();
  [[nodiscard]] std::uint64_t moved() const noexcept { return link_ ? link_->moved() : 0; }
  [[nodiscard]] bool sending() const noexcept { return !waiting_.empty() || !greeted_ || link_->sending(); }
  [[noreturn]] void throw_end() const;
  [[noreturn]] void throw_malformed(const std::string& what) const;

  std::unique_ptr<Io> own_io_;
  Io& io_;
  ClientConfig config_;
  ServiceGuard guard_;
  TcpConnector connector_;
  std::string peer_;
  Clock::time_point give_up_;
  Clock::time_point greet_by_{};
  std::unique_ptr<MessageLink> link_;
  std::optional<Wait> wait_;
  bool greeted_ = false;
  std::deque<Message> waiting_;  // sent after the greeting
  std::size_t waiting_bytes_ = 0;
  std::deque<Message> inbox_;
  std::size_t inbox_bytes_ = 0;
};

}  // namespace sotto::net
