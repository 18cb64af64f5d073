// A service: one process that many clients connect to, as a star, not a mesh. The service sends and receives messages.
//
// The service has one thread. The function run() waits, reads what clients have sent, and calls the handler. The
// handler answers with send(), which never blocks. Nothing that a client sends can end the service, or make it hold
// more than twice the bytes that came. A client that sends bytes that are not a message, or no message in time, is
// dropped and receives one line with the reason. Memory for each connection is bounded: one message, 64 KiB of input,
// the 70 KiB of TLS, and the answers that the client has not taken. The answers of one client are at most
// most_queued_bytes plus the answers to one message. The limit most_held_bytes bounds the incomplete messages and the
// untaken answers of all connections together. Above this limit the connection that has completed no message for
// longest is dropped.
//
// If answers to a client queue up, the service does not read from the client until the client takes the answers. Bytes
// that such a client continues to send wait in the client's own system. A client is dropped if it takes nothing for
// `longest_stall`, or stops for that long in the middle of a message.
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

// A service never gives the same id to two clients.
using PeerId = std::uint64_t;

inline const std::atomic<bool> never_interrupted{false};

struct ServiceConfig {
  Address listen;                 // port 0 means any free port
  std::optional<int> descriptor;  // a bound socket that the process inherited, used instead of listen
  ServiceTrust trust;
  std::string name;                                     // clients ask for the same name; 1 to 64 printable characters
  std::size_t longest_message = std::size_t{16} << 20;  // bytes of payload
  // The most connections; fewer if the limit of descriptors is lower. At the limit, one connection is dropped to make
  // room for a newcomer. It is a random connection of the network that has the most connections
  // (include/sotto/protocol/transport/tcp/listener.h). Connections that have sent no message so far are dropped first
  // if they make up at least a quarter of this limit. Otherwise they are dropped last. Connections without a message
  // for `idle_for` are dropped before connections from a network with more than its share. A connection whose
  // certificate is trusted by name is never dropped for a newcomer.
  std::size_t most_connections = 4096;
  std::chrono::milliseconds idle_for{30'000};
  std::size_t most_queued_bytes = std::size_t{4} << 20;  // bytes of one client; a client with more is not read from
  std::size_t most_held_bytes = std::size_t{512} << 20;  // bytes of all connections together
  std::chrono::milliseconds greet_within{10'000};        // includes the TLS handshake
  std::chrono::milliseconds longest_stall{60'000};
  std::chrono::milliseconds drain_for{30'000};  // at the end: time for clients to take their messages
};

// Service::run() makes all calls of the handler, and never makes a call within another call.
class ServiceHandler {
 public:
  virtual ~ServiceHandler() = default;
  // Called when a client has been accepted and both ends have sent their greetings.
  virtual void arrived(PeerId peer) { static_cast<void>(peer); }
  // If received() throws a ProtocolError or a TrustError, the service drops the client, which receives the error's
  // text. Any other error ends run().
  virtual void received(PeerId peer, Message&& message) = 0;
  // Called when a client that had arrived is gone. `why` is one phrase, empty if the client left in order. The
  // functions from() and fingerprint() still answer for the client, but nothing more is sent to the client.
  virtual void left(PeerId peer, const std::string& why) { static_cast<void>(peer), static_cast<void>(why); }
  // Called when a client was refused before it arrived, such as an unknown peer or a client of another program.
  virtual void refused(const std::string& from, const std::string& why) {
    static_cast<void>(from), static_cast<void>(why);
  }
  // Called after all messages of a turn of the loop. Returns the latest time of the next call.
  [[nodiscard]] virtual Clock::time_point tick() { return Clock::time_point::max(); }
  // Returns whether run() should end; checked before each turn of the loop.
  [[nodiscard]] virtual bool done() const = 0;
};

class Service {
 public:
  // Starts to listen; no client is served before run(). Throws InputError if the config is not valid, or if its address
  // is not an address of this machine. Throws ResourceError if the port is taken.
  explicit Service(ServiceConfig config) : Service(nullptr, std::move(config)) {}
  // Uses `io`, which must outlive the service. The function run() also waits for other users of `io`, such as the
  // handler's own client of another service. When such a user can continue, the service calls tick().
  Service(Io& io, ServiceConfig config) : Service(&io, std::move(config)) {}
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  [[nodiscard]] Address address() const { return listener_.address(); }
  // Runs until handler.done(). At the end every client receives its queued messages, and its connection is closed.
  // Clients that take longer than drain_for are cut off. The function left() is not called for the clients that are
  // connected at the end. Throws Interrupted after telling the clients the reason, and throws any error that the
  // handler throws.
  void run(ServiceHandler& handler, const std::atomic<bool>& interrupted = never_interrupted);

  // Queues a message; a message for a client that has left is dropped. The form that takes a shared_ptr shares one
  // message among all its receivers. Throws std::invalid_argument if the message is longer than longest_message or has
  // a type of the service's own.
  void send(PeerId peer, Message message);
  void send(PeerId peer, std::shared_ptr<const Message> message);  // never null
  // Sends a client its queued messages and `why`, then ends the connection. `why` must be one line without secrets,
  // because the client shows it to its user. The handler's left() is called with `why`.
  void drop(PeerId peer, const std::string& why);
  // Bytes that wait to be sent to a client.
  [[nodiscard]] std::size_t queued(PeerId peer) const;
  // The fingerprint of the client's certificate, "sha256:..."; empty in plaintext, or if the client is not there.
  [[nodiscard]] std::string fingerprint(PeerId peer) const;
  // The address of the client, such as "127.0.0.1:53120".
  [[nodiscard]] std::string from(PeerId peer) const;
  // Clients that have arrived and not left.
  [[nodiscard]] std::size_t clients() const noexcept { return clients_; }

 private:
  struct Connection {
    // ending: the queued messages are being sent; lingering: the peer must still close too.
    enum class Stage : std::uint8_t { greeting, open, ending, lingering, gone };

    PeerId id;
    std::string from;
    std::string network;
    MessageLink link;
    Wait wait;
    Stage stage = Stage::greeting;
    bool arrived = false;
    bool pinned = false;           // the client's certificate is trusted by name
    bool spoke = false;            // the client has sent a message of the program
    Clock::time_point spoke_at{};  // the time of the client's last message
    Clock::time_point deadline{};  // deadline of the greeting, or of the end
    Clock::time_point moved_at{};  // the last time when bytes moved, or when no bytes were due
    std::uint64_t moved = 0;
    std::size_t held = 0;            // the value of MessageLink::held() that held_ includes
    Clock::time_point held_since{};  // time when the memory was first used, or of the client's last complete message
    bool touched = false;            // whether touched_ has this connection
  };
  using Stage = Connection::Stage;
  static constexpr std::chrono::milliseconds close_within{2'000};  // time for a client to hear why it is dropped

  Service(Io* io, ServiceConfig config);

  [[nodiscard]] const Connection* find(PeerId peer) const;
  void turn(std::chrono::nanoseconds at_most);
  void take_accepted();
  void accept(TcpListener::Accepted accepted);
  bool make_room(const std::string& network);
  void serve(PeerId peer);
  void hear(Connection& connection);
  void take(Connection& connection, Message&& message);
  void take_own(Connection& connection, const Message& message);
  void greet(Connection& connection, const Message& message);
  void refuse(Connection& connection, ExitCode code, const std::string& why);
  void end(Connection& connection, const std::string& why, std::chrono::milliseconds within);
  void cut(Connection& connection, const std::string& why);
  void note_end(Connection& connection, const std::string& why);
  void continue_closing(Connection& connection);
  void set_gone(Connection& connection);
  void tell(ServiceHandler& handler);
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
  std::string accept_failure_;         // set if descriptors run out
  ServiceHandler* handler_ = nullptr;  // set during run(), until run() ends all connections

  std::unordered_map<PeerId, std::unique_ptr<Connection>> connections_;
  PeerId last_id_ = 0;
  std::size_t clients_ = 0;
  std::size_t held_ = 0;                                      // bytes held by all connections
  std::vector<PeerId> touched_;                               // connections to send to, or with a new wait
  std::vector<PeerId> ready_;                                 // connections that can continue
  std::vector<std::pair<PeerId, std::string>> leaving_;       // clients that have left after arrived(); left() is due
  std::vector<std::pair<std::string, std::string>> refused_;  // clients refused before arrived(); refused() is due
  std::vector<PeerId> gone_;
  Clock::time_point last_look_{};
};

}  // namespace sotto::net
