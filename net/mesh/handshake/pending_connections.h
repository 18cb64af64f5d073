// Connections on which the peer's hello has not come yet: connections that this role made, and connections that it
// accepted.
//
// An accepted peer is unauthenticated until its hello, and costs little. At most 512 accepted connections without a
// hello are kept, and fewer if the limit of descriptors is low; others are evicted
// (include/sotto/protocol/transport/tcp/listener.h). Each peer must send its hello by a deadline, which includes the
// handshake of the encryption. No connection without a hello makes this role store more than a hello. If an
// unauthenticated peer sends anything but a valid hello, the peer is dropped and the run continues. A peer that has
// proved to hold the certificate of a role is never evicted. Dropped connections are remembered for the error message,
// in case a peer never comes. An inquiry of a role of the run is answered a few times, and its connection is dropped at
// the deadline of the hello.
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

// The certificates of the roles, from the [trust] of the run's config. The links use the same certificates.

class Pins {
 public:
  // `certificates` has the fingerprint of each role: "sha256:" and 64 hex digits. If the map is empty, nothing is
  // checked. The certificates in `next` are accepted as well; they belong to roles that will change their key, or have
  // changed it.
  explicit Pins(std::map<NodeId, std::string> certificates, std::map<NodeId, std::string> next = {})
      : certificates_(std::move(certificates)), next_(std::move(next)) {}

  [[nodiscard]] bool any() const noexcept { return !certificates_.empty(); }
  // True if a link that has proved `fingerprint` may speak for `role`.
  [[nodiscard]] bool prove(NodeId role, const std::string& fingerprint) const {
    return !any() || has(certificates_, role, fingerprint) || has(next_, role, fingerprint);
  }
  // True if a link that has proved `fingerprint` may speak for at least one role.
  [[nodiscard]] bool know(const std::string& fingerprint) const { return !any() || owner_of(fingerprint).has_value(); }
  [[nodiscard]] std::optional<NodeId> owner_of(const std::string& fingerprint) const {
    for (const auto* const pins : {&certificates_, &next_}) {
      for (const auto& [role, pin] : *pins) {
        if (has(*pins, role, fingerprint)) return role;
      }
    }
    return std::nullopt;
  }
  // The expected certificate as a text: either "sha256:...", "sha256:... or sha256:...", or "no certificate".
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

// A role that has sent its hello and, if certificates are given, has proved its identity.
struct Identified {
  std::unique_ptr<Link> link;
  Hello hello;                     // may have another wire version
  std::optional<NodeId> expected;  // the role that this role connected to
  std::string from;                // the peer's address
};

// A connection that this role made and that was lost before the hello.
struct Disconnected {
  NodeId peer;
  std::string why;
};

class PendingConnections {
 public:
  // `hello` is this role's own hello, encoded. `probe` is the answer to an inquiry, without the time. `io` and `config`
  // must outlive this object.
  PendingConnections(Io& io, const MeshConfig& config, std::vector<std::byte> hello, Probe probe);

  void add_made(std::unique_ptr<ByteStream> stream, NodeId peer, const std::string& from);
  // Can be passed as a TcpListener::Take. Throws ResourceError if there is no descriptor for a connection and no other
  // connection may be dropped.
  void add_accepted(std::optional<TcpListener::Accepted> accepted, const std::string& failure);

  // Sends pending bytes, reads from the connections in turn, and returns the first peer whose hello has come. The
  // caller must call hear() until it returns nothing. Peers that have left are added to `lost`. Throws ProtocolError,
  // TrustError or RemoteFailure for bytes from a role that this role connected to, never for anything that an
  // unauthenticated peer does.
  [[nodiscard]] std::optional<Identified> hear(std::vector<Disconnected>& lost);

  // The links that this role made and on which the peer's hello has not come. This role's own hello is posted on these
  // links.
  [[nodiscard]] std::vector<std::unique_ptr<Link>> take_made();

  // Sends this role's hello to an accepted peer that has said its own hello.
  void answer(Link& link) const { link.post(FrameType::hello, 0, hello_); }

  // Ends all waits for the links after a failed set-up, so that the links can be closed.
  void unwatch();
  // The links on which a failed set-up is reported: links to roles that this role connected to, and links to peers with
  // a proved role.
  [[nodiscard]] std::vector<Link*> known_links() const;
  // True if this role has a connection to `peer` on which no hello has come.
  [[nodiscard]] bool waits_for(NodeId peer) const;
  // The roles that have inquired.
  [[nodiscard]] const std::set<NodeId>& asked_by() const noexcept { return asked_by_; }
  // The number of connections dropped because one end does not trust the other's certificate.
  [[nodiscard]] std::size_t refused() const noexcept { return refused_; }
  // The dropped connections as a text, such as " (2 other connections were dropped: 127.0.0.1:53120: it sent what is no
  // hello)"; empty if none were dropped.
  [[nodiscard]] std::string dropped() const;

 private:
  struct Connection {
    std::unique_ptr<Link> link;
    std::optional<NodeId> expected;
    std::string from;
    std::string network;
    Clock::time_point deadline;
    int inquiries = 0;
    bool ready = true;  // there may be something to receive or to send
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
