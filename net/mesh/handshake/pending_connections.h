// Connections on which the peer's hello has not come yet. A peer is unauthenticated until its hello. At most 512
// accepted connections without a hello are kept, and fewer if the limit of descriptors is low; others are evicted. Each
// peer must send its hello by a deadline, which includes the TLS handshake. For each connection without a hello, this
// role stores at most the bytes of one hello. If an unauthenticated peer sends anything but a valid hello, the peer is
// dropped and the run continues. A peer that has proved to hold the certificate of a role is never evicted. On one
// connection, a role of the run receives answers to its first 8 inquiries.
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

class Pins {
 public:
  // `certificates` maps each role to "sha256:" and 64 hex digits; an empty map means no check. The map `next` lists the
  // new certificates of roles that change their key.
  explicit Pins(std::map<NodeId, std::string> certificates, std::map<NodeId, std::string> next = {})
      : certificates_(std::move(certificates)), next_(std::move(next)) {}

  [[nodiscard]] bool any() const noexcept { return !certificates_.empty(); }
  [[nodiscard]] bool prove(NodeId role, const std::string& fingerprint) const {
    return !any() || has(certificates_, role, fingerprint) || has(next_, role, fingerprint);
  }
  [[nodiscard]] bool know(const std::string& fingerprint) const { return !any() || owner_of(fingerprint).has_value(); }
  [[nodiscard]] std::optional<NodeId> owner_of(const std::string& fingerprint) const {
    for (const auto* const pins : {&certificates_, &next_}) {
      for (const auto& [role, pin] : *pins) {
        if (has(*pins, role, fingerprint)) return role;
      }
    }
    return std::nullopt;
  }
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

// A role that has sent its hello. If certificates are given, the role has proved its identity.
struct Identified {
  std::unique_ptr<Link> link;
  Hello hello;                     // may have any wire version
  std::optional<NodeId> expected;  // set if this role connected to the peer
  std::string from;
};

// A connection of this role to `peer` that was lost before the hello.
struct Disconnected {
  NodeId peer;
  std::string why;
};

class PendingConnections {
 public:
  // `io` and `config` must outlive this object.
  PendingConnections(Io& io, const MeshConfig& config, std::vector<std::byte> hello, Probe probe);

  void add_made(std::unique_ptr<ByteStream> stream, NodeId peer, const std::string& from);
  // Throws ResourceError if there is no descriptor for a connection and no other connection may be dropped.
  void add_accepted(std::optional<TcpListener::Accepted> accepted, const std::string& failure);

  // The caller must call hear() until it returns nothing. Peers that have left are added to `lost`. Throws
  // ProtocolError, TrustError or RemoteFailure for bytes from a role that this role connected to, never for anything
  // that an unauthenticated peer does.
  [[nodiscard]] std::optional<Identified> receive(std::vector<Disconnected>& lost);

  // Returns the links on which this role has posted its hello and the peer's hello has not come.
  [[nodiscard]] std::vector<std::unique_ptr<Link>> take_made();

  void answer(Link& link) const { link.post(FrameType::hello, 0, hello_); }

  // Ends all waits, so that the links can be closed.
  void unwatch();
  // Returns the links to peers that must learn of a failed set-up.
  [[nodiscard]] std::vector<Link*> known_links() const;
  [[nodiscard]] bool waits_for(NodeId peer) const;
  [[nodiscard]] const std::set<NodeId>& asked_by() const noexcept { return asked_by_; }
  [[nodiscard]] std::size_t refused() const noexcept { return refused_; }
  // A text about dropped connections, for example " (2 other connections were dropped: ...)", or empty.
  [[nodiscard]] std::string dropped() const;

 private:
  struct Connection {
    std::unique_ptr<Link> link;
    std::optional<NodeId> expected;
    std::string from;
    std::string network;
    Clock::time_point deadline;
    int inquiries = 0;
    bool ready = true;  // there may be something to receive or send
    std::optional<Wait> wait;
  };
  using Position = std::list<Connection>::iterator;
  enum class Next : std::uint8_t { stays, identified, leaves };

  Connection& add(std::unique_ptr<ByteStream> stream, std::optional<NodeId> expected, const std::string& from,
                  const std::string& network);
  bool evict_one();
  void erase(Position position);
  Next receive(Connection& connection, Hello& hello);
  Next receive_unauthenticated(Connection& connection, Hello& hello);
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
