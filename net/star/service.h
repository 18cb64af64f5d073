// A service: one process that many clients connect to, a star and no mesh, and that sends and takes messages.
//
// One thread. run() waits, hears whoever has something to say, and calls the handler; the handler answers with send(),
// which never blocks. What a client sends cannot end the service, nor make it hold more than twice what came: who sends
// no message, or none in time, is dropped with one line. Bounds of memory, per connection: one message,
// most_queued_bytes and the answers to one message of replies that are not taken, 64 KiB of input, and TLS's 70 KiB.
// Where all connections together hold more than most_held_bytes of messages that are not whole and answers that are not
// taken, the one that has completed no message for longest is dropped.
//
// A client whose answers queue up is not read from until it takes them: what it goes on sending waits in its own
// system. One that takes nothing for `longest_stall`, or that stops in the middle of a message for so long, is dropped.
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

// Never given twice by one service.
using PeerId = std::uint64_t;

inline const std::atomic<bool> never_interrupted{false};

struct ServiceConfig {
  Address listen;                 // port 0: any free one
  std::optional<int> descriptor;  // a bound socket that the process inherited, in its place
  ServiceTrust trust;
  std::string name;                                     // clients must ask for the same; 1 to 64 printable characters
  std::size_t longest_message = std::size_t{16} << 20;  // bytes of payload
  // Fewer where the limit of descriptors is lower. Then one gives way, by shares of networks and at random
  // (include/sotto/protocol/transport/tcp/listener.h): of those that have sent no message yet, else of those that have
  // sent none for `idle_for`, else of a network that has more than its share. Never one whose certificate is trusted by
  // name.
  std::size_t most_connections = 4096;
  std::chrono::milliseconds idle_for{30'000};
  std::size_t most_queued_bytes = std::size_t{4} << 20;  // of one client, then it is not read from
  std::size_t most_held_bytes = std::size_t{512} << 20;  // of all together
  std::chrono::milliseconds greet_within{10'000};        // its TLS handshake included
  std::chrono::milliseconds longest_stall{60'000};
  std::chrono::milliseconds drain_for{30'000};  // at the end, for clients to take what is left
};

// All calls come from within run(), none within another.
class ServiceHandler {
 public:
  virtual ~ServiceHandler() = default;
  // A client has been let in, and both sides have said what they are.
  virtual void arrived(PeerId peer) { static_cast<void>(peer); }
  // A ProtocolError or a TrustError thrown here drops that client, who gets it with its text; any other error ends
  // run().
  virtual void received(PeerId peer, Message&& message) = 0;
  // One that had arrived is gone. `why` is one phrase, empty if it went in order. It can still be asked about (from(),
  // fingerprint()), and is sent nothing any more.
  virtual void left(PeerId peer, const std::string& why) { static_cast<void>(peer), static_cast<void>(why); }
  // One was refused before it arrived: an unknown peer, another program.
  virtual void refused(const std::string& from, const std::string& why) {
    static_cast<void>(from), static_cast<void>(why);
  }
  // After all that came in a turn of the loop. Says when to be called at the latest again.
  [[nodiscard]] virtual Clock::time_point tick() { return Clock::time_point::max(); }
  // Looked at before each turn.
  [[nodiscard]] virtual bool done() const = 0;
};

class Service {
 public:
  // Listens; nobody is heard before run(). Throws InputError if the config cannot be, or its address is not of this
  // machine; ResourceError if the port is taken.
  explicit Service(ServiceConfig config) : Service(nullptr, std::move(config)) {}
  // On an Io that must outlive it: run() also waits for what else is on it, such as a client of the handler's own to
  // another service, and calls tick() when that can go on.
  Service(Io& io, ServiceConfig config) : Service(&io, std::move(config)) {}
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  [[nodiscard]] Address address() const { return listener_.address(); }
  // Until handler.done(). Then every client gets what is queued for it, hears the end of the connection, and is left
  // behind after drain_for; left() is not called for them. Throws Interrupted, once clients have been told, and
  // whatever the handler throws.
  void run(ServiceHandler& handler, const std::atomic<bool>& interrupted = never_interrupted);

  // Queues a message; of a client that has left, forgets it. The second shares one message among all to whom it goes.
  // Throws std::invalid_argument if it is longer than longest_message, or of a type of the service's own.
  void send(PeerId peer, Message message);
  void send(PeerId peer, std::shared_ptr<const Message> message);  // never null
  // Ends the connection to a client once it has been sent what is queued and `why`, which it shows its user: one line,
  // no secret. The handler's left() is called with it.
  void drop(PeerId peer, const std::string& why);
  // Bytes that wait to be sent to a client.
  [[nodiscard]] std::size_t queued(PeerId peer) const;
  // Its certificate's, "sha256:..."; empty in plaintext, or if it is not there.
  [[nodiscard]] std::string fingerprint(PeerId peer) const;
  // "127.0.0.1:53120".
  [[nodiscard]] std::string from(PeerId peer) const;
  // Clients that have arrived and not left.
  [[nodiscard]] std::size_t clients() const noexcept { return clients_; }

 private:
  struct Connection {
    // ending: what is queued is sent; lingering: the peer is to close too.
    enum class Stage : std::uint8_t { greeting, open, ending, lingering, gone };

    PeerId id;
    std::string from;
    std::string network;
    MessageLink link;
    Wait wait;
    Stage stage = Stage::greeting;
    bool arrived = false;
    bool pinned = false;           // its certificate is one of those that are trusted by name
    bool spoke = false;            // a message of the program's
    Clock::time_point spoke_at{};  // the last time
    Clock::time_point deadline{};  // of the greeting, or of the end
    Clock::time_point moved_at{};  // when bytes last moved, or none were due
    std::uint64_t moved = 0;
    std::size_t held = 0;            // of MessageLink::held(), as counted in held_
    Clock::time_point held_since{};  // or since its last whole message
    bool touched = false;            // is in touched_
  };
  using Stage = Connection::Stage;
  static constexpr std::chrono::milliseconds close_within{2'000};  // for a client to hear why it is sent away

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
  std::string accept_failure_;         // for want of descriptors
  ServiceHandler* handler_ = nullptr;  // while run() runs and has not ended all

  std::unordered_map<PeerId, std::unique_ptr<Connection>> connections_;
  PeerId last_id_ = 0;
  std::size_t clients_ = 0;
  std::size_t held_ = 0;                                      // of all connections
  std::vector<PeerId> touched_;                               // to be sent to, or to be watched for something else
  std::vector<PeerId> ready_;                                 // can go on
  std::vector<std::pair<PeerId, std::string>> leaving_;       // arrived, to be told of
  std::vector<std::pair<std::string, std::string>> refused_;  // not arrived, to be told of
  std::vector<PeerId> gone_;
  Clock::time_point last_look_{};
};

}  // namespace sotto::net
