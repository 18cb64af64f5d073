// A service: one process with one thread and many clients.
//
// run() calls the handler, which answers with send(), and send() never blocks. No client can end the service, or make
// it store more than twice the bytes that came. The service drops a client that sends bytes that are not a message, and
// a client that sends no message in time. The dropped client receives one line with the reason. Memory for each
// connection is bounded: one message, 64 KiB of input, the 70 KiB of TLS, and the answers that the client has not
// received. These answers are at most most_queued_bytes plus the answers to one message. The limit most_held_bytes
// bounds the incomplete messages and unsent answers of all connections together. Above this limit, the service drops
// the connection whose last complete message is the oldest.
//
// If answers to a client queue up, the service reads nothing from this client. A client is dropped if it receives
// nothing for `longest_stall`, or stops for that long in the middle of a message.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "net/star/message.h"
#include "net/star/message_link.h"
#include "net/star/trust.h"
#include "sotto/protocol/transport/tcp/listener.h"

namespace sotto::net {

// No id is used twice.
using PeerId = std::uint64_t;

inline const std::atomic<bool> never_interrupted{false};

struct ServiceConfig {
  Address listen;                 // port 0 means any port
  std::optional<int> descriptor;  // inherited socket that listens, instead of `listen`
  ServiceTrust trust;
  std::string name;                                     // 1 to 64 printable characters
  std::size_t longest_message = std::size_t{16} << 20;  // bytes of payload
  // The number is lower if the limit of descriptors is lower. At the limit, a newcomer replaces a connection of one of
  // four groups. The service takes the first group that is not empty: (1) connections that have sent no message so far,
  // if they make up at least a quarter of the limit; (2) connections without a message for `idle_for`; (3) all
  // connections that have sent a message, if one network has at least two more of these connections than the newcomer's
  // network; (4) connections that have sent no message so far. Within the group, the service drops a random connection
  // of the network that has the most connections. A connection whose fingerprint is in ServiceTrust::trusted is never
  // dropped for a newcomer.
  std::size_t most_connections = 4096;
  std::chrono::milliseconds idle_for{30'000};
  std::size_t most_queued_bytes = std::size_t{4} << 20;  // of one client
  std::size_t most_held_bytes = std::size_t{512} << 20;  // of all connections
  std::chrono::milliseconds greet_within{10'000};        // includes TLS
  std::chrono::milliseconds longest_stall{60'000};
  std::chrono::milliseconds drain_for{30'000};  // at the end
};

// The service never calls the handler while another call of the handler is running.
class ServiceHandler {
 public:
  virtual ~ServiceHandler() = default;
  virtual void arrived(PeerId peer) { static_cast<void>(peer); }
  // If received() throws a ProtocolError or a TrustError, the service drops the client, which receives the error's
  // text. Any other error ends run().
  virtual void received(PeerId peer, Message&& message) = 0;
  // `why` is empty if the client left in order.
  virtual void left(PeerId peer, const std::string& why) { static_cast<void>(peer), static_cast<void>(why); }
  virtual void refused(const std::string& from, const std::string& why) {
    static_cast<void>(from), static_cast<void>(why);
  }
  // Returns the time by which the service must call tick() again.
  [[nodiscard]] virtual Clock::time_point tick() { return Clock::time_point::max(); }
  [[nodiscard]] virtual bool done() const = 0;
};

class Service {
 public:
  // Starts to listen; no client is served before run(). Throws InputError if the config is not valid, or if its address
  // is not an address of this machine. Throws ResourceError if the port is taken.
  explicit Service(ServiceConfig config) : Service(nullptr, std::move(config)) {}
  // `io` must outlive the service. run() calls tick() each time `io` has run handlers, so other users of `io` can
  // continue in tick().
  Service(Io& io, ServiceConfig config) : Service(&io, std::move(config)) {}
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  [[nodiscard]] Address address() const { return listener_.address(); }
  // At the end every client receives its queued messages within drain_for, and left() is not called. Throws Interrupted
  // after telling the clients the reason, and any error that the handler throws.
  void run(ServiceHandler& handler, const std::atomic<bool>& interrupted = never_interrupted);

  // Messages for clients that have left are dropped. Throws std::invalid_argument if the message is longer than
  // longest_message, or if its type is reserved for the service (message.h).
  void send(PeerId peer, Message message);
  void send(PeerId peer, std::shared_ptr<const Message> message);  // never null
  // Sends the queued messages and `why`, then ends the connection. `why` must be one line without secrets, because the
  // client shows it to its user.
  void drop(PeerId peer, const std::string& why);
  [[nodiscard]] std::size_t queued(PeerId peer) const;
  // The result is empty in plaintext, or for an unknown client.
  [[nodiscard]] std::string fingerprint(PeerId peer) const;
  // Such as "127.0.0.1:53120".
  [[nodiscard]] std::string from(PeerId peer) const;
  [[nodiscard]] std::size_t clients() const noexcept { return clients_; }

 private:
  struct Connection {
    // In the stage `ending`, queued messages are sent. In the stage `lingering`, the service waits until the peer
    // closes.
    enum class Stage : std::uint8_t { greeting, open, ending, lingering, gone };

    PeerId id;
    std::string from;
    std::string network;
    MessageLink link;
    Wait wait;
    Stage stage = Stage::greeting;
    bool arrived = false;
    bool pinned = false;           // its fingerprint is in ServiceTrust::trusted
    bool spoke = false;            // sent a message
    Clock::time_point spoke_at{};  // time of the last message
    Clock::time_point deadline{};  // for the greeting or the end
    Clock::time_point moved_at{};  // last time with progress, or with nothing to send
    std::uint64_t moved = 0;
    std::size_t held = 0;            // part of held_
    Clock::time_point held_since{};  // time of the last complete message
    bool touched = false;            // in touched_
  };
  using Stage = Connection::Stage;
  static constexpr std::chrono::milliseconds close_within{2'000};  // time in which a client can read the reason

  Service(Io* io, ServiceConfig config);

  [[nodiscard]] const Connection* find(PeerId peer) const;
  void turn(std::chrono::nanoseconds at_most);
  void take_accepted();
  void accept(TcpListener::Accepted accepted);
  bool make_room(const std::string& network);
  void serve(PeerId peer);
  void read(Connection& connection);
  void take(Connection& connection, Message&& message);
  void take_own(Connection& connection, const Message& message);
  void greet(Connection& connection, const Message& message);
  void refuse(Connection& connection, ExitCode code, const std::string& why);
  void end(Connection& connection, const std::string& why, std::chrono::milliseconds within);
  void cut(Connection& connection, const std::string& why);
  void note_end(Connection& connection, const std::string& why);
  void continue_closing(Connection& connection);
  void set_gone(Connection& connection);
  void notify(ServiceHandler& handler);
  void settle_all();
  void settle(Connection& connection);
  void look_at_deadlines();
  void look_at(Connection& connection, Clock::time_point now);
  void erase_gone();
  void touch(Connection& connection);
  Connection* to_send_to(PeerId peer, const Message& message);
  void weigh(Connection& connection);
  void relieve();
  void end_all(const std::optional<CloseReason>& word, std::chrono::milliseconds within,
               const std::atomic<bool>& interrupted);

  std::unique_ptr<Io> own_io_;
  Io& io_;
  ServiceConfig config_;
  ServiceGuard guard_;
  TcpListener listener_;
  std::size_t most_connections_;
  std::deque<TcpListener::Accepted> accepted_;
  std::string accept_failure_;         // why a connection could not be accepted
  ServiceHandler* handler_ = nullptr;  // only during run()

  std::unordered_map<PeerId, std::unique_ptr<Connection>> connections_;
  PeerId last_id_ = 0;
  std::size_t clients_ = 0;
  std::size_t held_ = 0;                                      // bytes that all connections hold
  std::vector<PeerId> touched_;                               // connections that settle_all() must look at
  std::vector<PeerId> ready_;                                 // connections that can continue
  std::vector<std::pair<PeerId, std::string>> leaving_;       // calls of left() that are due
  std::vector<std::pair<std::string, std::string>> refused_;  // calls of refused() that are due
  std::vector<PeerId> gone_;
  Clock::time_point last_look_{};
};

}  // namespace sotto::net
