// A client of a service (net/star/service.h): makes one connection, and sends and takes messages on it. The client pins
// the certificate of the service.
//
// If the service is not there yet, the client tries again until `retry_for` is over. A connection that is lost later
// stays lost: the caller makes another client and decides what to send again. All functions that wait throw Interrupted
// when the flag is set. A caller can also avoid the functions that wait: with make_progress() the caller's own loop
// drives the connection.
//
// All functions of a client throw the errors that follow. NetworkError: the service is not reached, or the connection
// ends, whether in order or not. TrustError: the service is not the pinned service, or refuses this client.
// DisagreementError: the peer is another service, or has another version. ProtocolError: the service sends bytes that
// are not a message, or says that this client sent such bytes.
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
  ServiceTrust trust;                                   // `trusted` has exactly the service's fingerprint;
                                                        // a client without an identity makes one for this connection
  std::string name;                                     // the name that the service gives itself
  std::size_t longest_message = std::size_t{16} << 20;  // longest message that the service may send
  std::chrono::milliseconds retry_for{30'000};
  std::size_t most_queued_bytes = std::size_t{4} << 20;  // send() waits while more bytes are queued
  std::chrono::milliseconds longest_stall{60'000};       // how long send() waits for a service that reads nothing
};

class ServiceClient {
 public:
  // The constructor does not connect yet. Throws InputError if the trust is not valid.
  explicit ServiceClient(ClientConfig config) : ServiceClient(nullptr, std::move(config)) {}
  // Uses the Io of the caller's loop, which must outlive this object. The caller's loop wakes when the connection can
  // continue. The functions that wait run `io`.
  ServiceClient(Io& io, ClientConfig config) : ServiceClient(&io, std::move(config)) {}
  ServiceClient(ServiceClient&&) noexcept = default;

  // Returns once both ends have greeted. Every function that needs the connection connects by itself.
  void connect(const std::atomic<bool>& interrupted = never_interrupted);
  [[nodiscard]] bool connected() const noexcept { return greeted_; }
  // Queues a message and sends as much as can be sent. Waits only while more than most_queued_bytes are queued.
  void send(Message message, const std::atomic<bool>& interrupted = never_interrupted);
  // Waits until all bytes have been passed to the operating system. Returns false if bytes are left at the deadline.
  bool flush(Clock::time_point deadline, const std::atomic<bool>& interrupted = never_interrupted);
  // The next message; nothing if none has come by the deadline. If the deadline is in the past, receive() does not
  // wait.
  [[nodiscard]] std::optional<Message> receive(Clock::time_point deadline,
                                               const std::atomic<bool>& interrupted = never_interrupted);
  // Sends the message and takes the next message as the answer. Throws NetworkError if no answer comes by the deadline.
  [[nodiscard]] Message ask(Message message, Clock::time_point deadline,
                            const std::atomic<bool>& interrupted = never_interrupted);
  // Ends the connection in order: sends the queued messages, ends this direction, and waits until the service has taken
  // the messages and closes too. Returns false if the service has not closed by the deadline. After finish(), nothing
  // else may be called.
  bool finish(Clock::time_point deadline, const std::atomic<bool>& interrupted = never_interrupted);

  // Connects, sends, and reads ahead a bounded amount, as far as possible without waiting.
  void make_progress();
  // Bytes that have not been passed to the operating system.
  [[nodiscard]] std::size_t queued() const noexcept { return waiting_bytes_ + (link_ ? link_->queued() : 0); }

 private:
  ServiceClient(Io* io, ClientConfig config);

  // Connects, greets and sends as far as possible now.
  void advance();
  void try_to_connect();
  void hear_greeting();
  void attempt_failed(const std::string& why);
  void add(Message message);
  [[nodiscard]] std::optional<Message> next();
  [[nodiscard]] std::optional<Message> hear();
  void read_ahead();
  // Registers this connection's next wait on the Io, which another caller may run.
  void start_wait();
  void wait(Clock::time_point until, const std::atomic<bool>& interrupted);
  // Called after the end of this direction. Returns true once the service has closed too.
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
  std::optional<Wait> wait_;  // waits for the link
  bool greeted_ = false;
  std::deque<Message> waiting_;  // messages that wait for the greeting
  std::size_t waiting_bytes_ = 0;
  std::deque<Message> inbox_;
  std::size_t inbox_bytes_ = 0;
};

}  // namespace sotto::net
