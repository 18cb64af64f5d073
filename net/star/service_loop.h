// The inside of a Service: its connections, and a turn of its loop. Not for others to include.
#pragma once

#include <deque>
#include <optional>
#include <unordered_map>
#include <utility>

#include "sotto/net/star/greeting.h"
#include "sotto/net/star/message_link.h"
#include "sotto/net/star/service.h"
#include "sotto/net/transport/tcp/listener.h"

namespace sotto::net {

// For a client to hear why it is sent away.
inline constexpr std::chrono::milliseconds close_within{2'000};

class Service::Loop {
 public:
  // Makes an Io of its own where none is given.
  Loop(Io* io, ServiceConfig config);

  void run(ServiceHandler& handler, const std::atomic<bool>& interrupted);
  void send(PeerId peer, Message message);
  void send(PeerId peer, std::shared_ptr<const Message> message);
  void drop(PeerId peer, const std::string& why);

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
  [[nodiscard]] const Connection* find(PeerId peer) const;
  [[nodiscard]] Address address() const { return listener_.address(); }
  [[nodiscard]] std::size_t clients() const noexcept { return clients_; }

 private:
  using Stage = Connection::Stage;

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
