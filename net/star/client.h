// A client of a service (net/star/service.h): one connection, which it makes, on which it sends
// and takes messages. It pins the certificate of the service.
//
// A service that is not there yet is tried again until `retry_for` is over. A connection that was lost later stays
// lost: the caller makes another client, and decides what it sends again. All functions that wait throw Interrupted
// when the flag is set; none is needed to go on: make_progress() lets a loop of the caller's drive the connection.
//
// Errors of all functions: NetworkError if the service is not reached, or the connection ends, in order or not;
// TrustError if the service is not the one that is pinned, or refuses this client; DisagreementError if it is another
// service, or another version; ProtocolError if it sends what is no message, or says that this client did.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "sotto/net/star/message.h"
#include "sotto/net/star/service.h"
#include "sotto/net/star/trust.h"
#include "sotto/net/transport/io.h"
#include "sotto/net/transport/tcp/address.h"

namespace sotto::net {

struct ClientConfig {
  Address service;
  ServiceTrust trust;  // `trusted` has exactly the service's fingerprint; without an identity one
                       // is made for this connection
  std::string name;    // of the service, as it calls itself
  std::size_t longest_message = std::size_t{16} << 20;  // that it may send
  std::chrono::milliseconds retry_for{30'000};
  std::size_t most_queued_bytes = std::size_t{4} << 20;  // then send() waits
  std::chrono::milliseconds longest_stall{60'000};       // how long send() waits for a service that takes nothing
};

class ServiceClient {
 public:
  // Does not connect yet. Throws InputError if the trust cannot be.
  explicit ServiceClient(ClientConfig config);
  // On the Io of a loop of the caller's, which must outlive this: that loop wakes when the connection can go on. The
  // functions that wait run the Io.
  ServiceClient(Io& io, ClientConfig config);
  ServiceClient(ServiceClient&&) noexcept;
  ServiceClient& operator=(ServiceClient&&) noexcept;
  ~ServiceClient();

  // Returns once both ends have greeted. All that follow connect by themselves.
  void connect(const std::atomic<bool>& interrupted = never_interrupted);
  [[nodiscard]] bool connected() const noexcept;
  // Queues a message and sends what can be sent; waits only while more than most_queued_bytes are queued.
  void send(Message message, const std::atomic<bool>& interrupted = never_interrupted);
  // Waits until all has been handed to the system; false if it has not at the deadline.
  bool flush(Clock::time_point deadline, const std::atomic<bool>& interrupted = never_interrupted);
  // The next message; nothing if none has come by the deadline. A deadline that has passed asks without waiting.
  [[nodiscard]] std::optional<Message> receive(Clock::time_point deadline,
                                               const std::atomic<bool>& interrupted = never_interrupted);
  // Sends, and takes the next message for the answer. NetworkError if there is none in time.
  [[nodiscard]] Message ask(Message message, Clock::time_point deadline,
                            const std::atomic<bool>& interrupted = never_interrupted);
  // Ends in order: sends what is queued, says that this was all, and waits until the service has taken it and closes
  // too. False if it has not at the deadline. Nothing else may follow.
  bool finish(Clock::time_point deadline, const std::atomic<bool>& interrupted = never_interrupted);

  // Does what can be done now, and never waits: connects, sends, reads ahead a bounded amount.
  void make_progress();
  // Bytes that have not been handed to the system.
  [[nodiscard]] std::size_t queued() const noexcept;

 private:
  class Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace sotto::net
