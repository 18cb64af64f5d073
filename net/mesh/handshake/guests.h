// Connections whose hello has not been heard: those that this role made, and those that it has
// accepted.
//
// Whoever was accepted is a stranger until its hello, and costs little: at most 32 are kept, the
// oldest goes when another comes; each has the hello's deadline, the handshake of its encryption
// included; none makes this role hold more than a hello; whatever it says, it is dropped and the
// run goes on. What was dropped is remembered for the message, should a peer never come. A doctor of
// the run that asks is answered, a few times, and dropped at the same deadline.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sotto/net/mesh/handshake/pins.h"
#include "sotto/net/mesh/handshake/probe.h"
#include "sotto/net/mesh/mesh.h"

namespace sotto::net {

// A role that has said who it is, and has proved it where certificates are given.
struct Arrival {
  std::unique_ptr<Link> link;
  Hello hello;                     // perhaps of another version
  std::optional<NodeId> expected;  // whom this role connected to
  std::string from;                // address
};

// A connection that this role made and that was lost before the hello.
struct Departure {
  NodeId peer;
  std::string why;
};

class Guests {
 public:
  // `hello` is this role's own, encoded; `probe` what a doctor is told, but for the clock. The config
  // must outlive this.
  Guests(const MeshConfig& config, std::vector<std::byte> hello, Probe probe);

  void add_made(std::unique_ptr<ByteStream> stream, NodeId peer, const std::string& from);
  void add_accepted(std::unique_ptr<ByteStream> stream, const std::string& from);

  // Sends what is to be sent, and hears them in turn up to the first that has said its hello; to be
  // called until it returns nothing. Who has gone is added to `departures`. Throws ProtocolError,
  // TrustError or RemoteFailure for what a role says that this one has connected to, never for what
  // a stranger does.
  [[nodiscard]] std::optional<Arrival> hear(std::vector<Departure>& departures);

  // The links that this role made and that have not said their hello; its own is posted.
  [[nodiscard]] std::vector<std::unique_ptr<Link>> take_made();

  // This role's hello, to one that was accepted and has said its own.
  void answer(Link& link) const { link.post(FrameType::hello, 0, hello_); }

  // Who is told when the set-up fails: those that this role connected to, and those that have
  // proved to be of the run.
  [[nodiscard]] std::vector<Link*> known_links() const;
  // True if this role has a connection to `peer` that has not said its hello.
  [[nodiscard]] bool waits_for(NodeId peer) const;
  void add_waitables(std::vector<Waitable>& to) const;
  // The roles whose doctors have asked.
  [[nodiscard]] const std::set<NodeId>& asked_by() const noexcept { return asked_by_; }
  // How many strangers were dropped because one end does not trust the other's certificate.
  [[nodiscard]] std::size_t refused_strangers() const noexcept { return refused_strangers_; }
  // " (2 other connections were dropped: 127.0.0.1:53120: it sent what is no hello)"; empty if none.
  [[nodiscard]] std::string dropped() const;

 private:
  struct Guest {
    std::unique_ptr<Link> link;
    std::optional<NodeId> expected;
    std::string from;
    Clock::time_point deadline;
    int questions = 0;  // of a doctor
  };
  enum class Next : std::uint8_t { stays, arrives, leaves };

  void add(std::unique_ptr<ByteStream> stream, std::optional<NodeId> expected,
           const std::string& from);
  Next hear(Guest& guest, Hello& hello);
  Next hear_stranger(Guest& guest, Hello& hello);
  std::optional<FrameHeader> next_frame(Guest& guest);
  void take_hello(Guest& guest, const FrameHeader& header, Hello& hello) const;
  void answer_probe(Guest& guest, const FrameHeader& header);
  bool admits(Guest& guest, const Hello& hello);
  void drop(const Guest& guest, const std::string& what);

  const MeshConfig& config_;
  Pins pins_;
  std::vector<std::byte> hello_;
  Probe probe_;
  std::set<NodeId> asked_by_;
  std::deque<Guest> guests_;
  std::size_t dropped_ = 0;
  std::size_t refused_strangers_ = 0;
  std::string last_dropped_;
};

}  // namespace sotto::net
