// Connections whose hello has not been heard: those that this role made, and those that it has accepted.
//
// Whoever was accepted is unauthenticated until its hello, and costs little: at most 512 are kept, fewer where the
// limit of descriptors is low, by eviction (include/sotto/protocol/transport/tcp/listener.h); each has the hello's
// deadline, the handshake of its encryption included; none makes this role hold more than a hello; whatever it says, it
// is dropped and the run goes on. Who has proved to hold the certificate of a role is never evicted. What was dropped
// is remembered for the message, should a peer never come. An inquiry of a role of the run is answered, a few times,
// and dropped at the same deadline.
#pragma once

#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "net/mesh/handshake/inquiry.h"
#include "sotto/protocol/mesh/mesh.h"
#include "sotto/protocol/party/topology.h"

namespace sotto::net {

// Which certificate belongs to which role: the [trust] of the run's config, as the links use it.

class Pins {
 public:
  // Fingerprints by role, "sha256:" and 64 hex digits. Of an empty map nothing is checked. `next` are accepted as well:
  // of roles that are about to change their key, or have.
  explicit Pins(std::map<NodeId, std::string> certificates, std::map<NodeId, std::string> next = {})
      : certificates_(std::move(certificates)), next_(std::move(next)) {}

  [[nodiscard]] bool any() const noexcept { return !certificates_.empty(); }
  // True if a link that has proved `fingerprint` may speak for `role`.
  [[nodiscard]] bool prove(NodeId role, const std::string& fingerprint) const {
    return !any() || has(certificates_, role, fingerprint) || has(next_, role, fingerprint);
  }
  // True if it may speak at all: for some role.
  [[nodiscard]] bool know(const std::string& fingerprint) const { return !any() || owner_of(fingerprint).has_value(); }
  [[nodiscard]] std::optional<NodeId> owner_of(const std::string& fingerprint) const {
    for (const auto* const pins : {&certificates_, &next_}) {
      for (const auto& [role, pin] : *pins) {
        if (has(*pins, role, fingerprint)) return role;
      }
    }
    return std::nullopt;
  }
  // "sha256:...", "sha256:... or sha256:...", or "no certificate".
  [[nodiscard]] std::string expected(NodeId role) const {
    const auto pin = certificates_.find(role);
    if (pin == certificates_.end()) return "no certificate";
    const auto next = next_.find(role);
    return next == next_.end() ? pin->second : pin->second + " or " + next->second;
  }

 private:
  static bool has(const std::map<NodeId, std::string>& pins, NodeId role, const std::string& fingerprint) {
    const auto pin = pins.find(role);
    return pin != pins.end() && !fingerprint.empty() && pin->second == fingerprint;
  }

  std::map<NodeId, std::string> certificates_;
  std::map<NodeId, std::string> next_;
};

// A role that has said who it is, and has proved it where certificates are given.
struct Identified {
  std::unique_ptr<Link> link;
  Hello hello;                     // perhaps of another version
  std::optional<NodeId> expected;  // whom this role connected to
  std::string from;                // address
};

// A connection that this role made and that was lost before the hello.
struct Lost {
  NodeId peer;
  std::string why;
};

class PendingConnections {
 public:
  // `hello` is this role's own, encoded; `probe` the answer to an inquiry, but for the clock. Both references must
  // outlive this.
  PendingConnections(Io& io, const MeshConfig& config, std::vector<std::byte> hello, Probe probe);

  void add_made(std::unique_ptr<ByteStream> stream, NodeId peer, const std::string& from);
  // As TcpListener::Take. Throws ResourceError where there is no descriptor for a connection and nobody who gives way.
  void add_accepted(std::optional<TcpListener::Accepted> accepted, const std::string& failure);

  // Sends what is to be sent, and hears them in turn up to the first that has said its hello; to be called until it
  // returns nothing. Who has gone is added to `lost`. Throws ProtocolError, TrustError or RemoteFailure for what a role
  // says that this one has connected to, never for what an unauthenticated peer does.
  [[nodiscard]] std::optional<Identified> hear(std::vector<Lost>& lost);

  // The links that this role made and that have not said their hello; its own is posted.
  [[nodiscard]] std::vector<std::unique_ptr<Link>> take_made();

  // This role's hello, to one that was accepted and has said its own.
  void answer(Link& link) const { link.post(FrameType::hello, 0, hello_); }

  // Once the set-up has failed: nothing waits for the links any more, so that they can be closed.
  void unwatch();
  // Who is told when the set-up fails: those that this role connected to, and those that have proved to be of the run.
  [[nodiscard]] std::vector<Link*> known_links() const;
  // True if this role has a connection to `peer` that has not said its hello.
  [[nodiscard]] bool waits_for(NodeId peer) const;
  // The roles that have inquired.
  [[nodiscard]] const std::set<NodeId>& asked_by() const noexcept { return asked_by_; }
  // How many were dropped because one end does not trust the other's certificate.
  [[nodiscard]] std::size_t refused() const noexcept { return refused_; }
  // " (2 other connections were dropped: 127.0.0.1:53120: it sent what is no hello)"; empty if none.
  [[nodiscard]] std::string dropped() const;

 private:
  struct Connection {
    std::unique_ptr<Link> link;
    std::optional<NodeId> expected;
    std::string from;
    std::string network;
    Clock::time_point deadline;
    int inquiries = 0;
    bool ready = true;  // there may be something to hear or to send
    std::optional<Wait> wait;
  };
  using Position = std::list<Connection>::iterator;
  enum class Next : std::uint8_t { stays, identified, leaves };

  Connection& add(std::unique_ptr<ByteStream> stream, std::optional<NodeId> expected, const std::string& from,
                  const std::string& network);
  bool evict_one();
  void erase(Position position);
  Next hear(Connection& connection, Hello& hello);
  Next hear_unauthenticated(Connection& connection, Hello& hello);
  std::optional<FrameHeader> next_frame(Connection& connection);
  void take_hello(Connection& connection, const FrameHeader& header, Hello& hello) const;
  void answer_inquiry(Connection& connection, const FrameHeader& header);
  bool admits(Connection& connection, const Hello& hello);
  void drop(const Connection& connection, const std::string& what);

  Io& io_;
  const MeshConfig& config_;
  Pins pins_;
  std::vector<std::byte> hello_;
  Probe probe_;
  std::set<NodeId> asked_by_;
  std::list<Connection> connections_;
  std::size_t most_unauthenticated_;
  std::size_t unauthenticated_ = 0;
  std::size_t dropped_ = 0;
  std::size_t refused_ = 0;
  std::string last_dropped_;
};

}  // namespace sotto::net
