// The roles whose hellos have come. AuthenticatedPeers collects the hellos of all roles, then confirms that all roles
// have received the same facts.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sotto/protocol/mesh/handshake/hello.h"
#include "sotto/protocol/mesh/mesh.h"
#include "sotto/protocol/party/topology.h"

namespace sotto::net {

// A confirm is the second frame on every link, sent once all hellos have come. The confirm states what its sender has
// received, and so exposes a role that tells different peers different things.
//
//     SHA-256 of the parameters without trust      32 bytes
//     the fresh session                            16
//     SHA-256 of each party's announcement         32 each, in party order
//     from the dealer and the parties, length and bytes of the resume point: 8 + at most 256
//     from the same roles, length and text of each owner's announcement: 4 + at most 1,024 each, in the order of owners
//
// Nodes outside the parties have no links with each other. Nodes outside the parties adopt the resume point and the
// owners' announcements if all roles that send them agree.

inline constexpr std::size_t longest_of_owner = 1024;  // bytes of an announcement

struct Confirm {
  Digest parameters{};
  SessionId session{};
  std::vector<Digest> announcements;        // by party
  std::optional<ResumeBytes> resume_point;  // from the dealer and the parties
  std::vector<std::string> of_owners{};     // announcements by owner, only from the dealer and the parties

  friend bool operator==(const Confirm&, const Confirm&) = default;
};

[[nodiscard]] std::size_t longest_confirm(const Topology& topology, NodeId sender);
[[nodiscard]] std::vector<std::byte> encode(const Confirm& confirm);
// Returns nothing if the payload is not a confirm of `sender`.
[[nodiscard]] std::optional<Confirm> decode_confirm(std::span<const std::byte> payload, const Topology& topology,
                                                    NodeId sender);

// The difference between two confirms of the same session, in one phrase; nothing if both roles have received the same
// facts. Resume points and announcements of owners are compared if both confirms have them. `describe` makes the text
// for a resume point. A different session is not a disagreement: it arises if a role is restarted after some of its
// peers have confirmed.
[[nodiscard]] std::optional<std::string> difference(const Confirm& mine, const Confirm& theirs,
                                                    const std::string& my_name, const std::string& their_name,
                                                    const decltype(Resume::describe)& describe);

// A role that is killed and restarted may connect again before its old link is known to be closed, or soon after that.
inline constexpr std::chrono::seconds time_to_come_again{1};

class AuthenticatedPeers {
 public:
  // `mine` is this role's hello. `io` and `config` must outlive this object.
  AuthenticatedPeers(Io& io, const MeshConfig& config, const Hello& mine);

  // Keeps the link of a role even before the role is checked, because a refused role must learn the reason.
  void add(std::unique_ptr<Link> link);
  // Keeps the role's hello, once the hello is checked.
  void note(const Hello& hello);
  [[nodiscard]] bool has(NodeId role) const;
  // Drops the link of a role that has closed its end, so that the role may connect again. Does nothing once this role
  // has confirmed that role's hello. Returns whether the link was dropped.
  bool drop_dead(NodeId role);

  // Must be called repeatedly. Sends and receives what is possible now, and confirms once all roles are connected and
  // `may_confirm` is set. Throws DisagreementError if a role has received other facts than this role, or if no resume
  // point suits all roles. Throws ProtocolError for a frame other than a confirm. Throws NetworkError if a role has
  // left. If that role is the end that connects, and has a certificate, it first gets the time time_to_come_again to
  // connect again.
  void make_progress(bool may_confirm);
  // True once all roles have confirmed the same facts and this role's confirms are sent.
  [[nodiscard]] bool complete() const;
  // Once all roles are connected: the roles that have not confirmed.
  [[nodiscard]] std::vector<std::string> unconfirmed() const;

  // Ends all waits for the links after a failed set-up, so that the links can be closed.
  void unwatch();
  [[nodiscard]] std::vector<Link*> links() const;
  [[nodiscard]] std::vector<std::unique_ptr<Link>> take_links();
  // Makes the Io wake as soon as one of the links can continue.
  void wait();
  // May be called only once complete() is true.
  [[nodiscard]] Mesh into_mesh();

 private:
  struct Peer {
    std::unique_ptr<Link> link;
    Wait wait;
    std::optional<Confirm> heard{};  // may come before all hellos have come
    bool confirmed = false;
    std::optional<Clock::time_point> left{};  // the time when the peer has closed the link
  };

  void confirm();
  void hear(Peer& peer);
  void check(Peer& peer);
  void adopt(const Confirm& theirs, const std::string& their_name);
  [[nodiscard]] bool may_come_again(Peer& peer) const;

  Io& io_;
  const MeshConfig& config_;
  std::vector<NodeId> peers_;
  std::vector<Peer> arrived_;
  std::vector<std::string> announcements_;  // announcements by party, then by owner
  std::map<NodeId, Nonce> nonces_;
  ResumeStates resume_states_;
  std::optional<Confirm> mine_;              // this role's confirm, set once it is sent
  std::optional<ResumeBytes> resume_point_;  // computed, or adopted from the role that confirmed first
};

}  // namespace sotto::net
