// Collects the hellos of all roles, then confirms that all roles have received the same facts.
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

inline constexpr std::size_t longest_of_owner = 1024;  // bytes

struct Confirm {
  Digest parameters{};
  SessionId session{};
  std::vector<Digest> announcements;  // by party
  std::optional<ResumeBytes> resume_point;
  std::vector<std::string> of_owners{};

  friend bool operator==(const Confirm&, const Confirm&) = default;
};

[[nodiscard]] std::size_t longest_confirm(const Topology& topology, NodeId sender);
[[nodiscard]] std::vector<std::byte> encode(const Confirm& confirm);
[[nodiscard]] std::optional<Confirm> decode_confirm(std::span<const std::byte> payload, const Topology& topology,
                                                    NodeId sender);

// A different session is no disagreement, because a role may have been restarted after some of its peers confirmed.
[[nodiscard]] std::optional<std::string> difference(const Confirm& mine, const Confirm& theirs,
                                                    const std::string& my_name, const std::string& their_name,
                                                    const decltype(Resume::describe)& describe);

// A restarted role may connect again before its old link is known to be closed.
inline constexpr std::chrono::seconds time_to_come_again{1};

class AuthenticatedPeers {
 public:
  // `io` and `config` must outlive this object.
  AuthenticatedPeers(Io& io, const MeshConfig& config, const Hello& mine);

  // Also keeps the link of a role that is refused, because the refused role must receive the reason.
  void add(std::unique_ptr<Link> link);
  void note(const Hello& hello);
  [[nodiscard]] bool has(NodeId role) const;
  // Drops the link of a role that has closed its end, so that the role may connect again. Does nothing once this role
  // has confirmed that role's hello.
  bool drop_dead(NodeId role);

  // Confirms once all roles are connected and `may_confirm` is set. Throws DisagreementError if a role has received
  // other facts than this role, or if no resume point suits all roles. Throws ProtocolError for a frame other than a
  // confirm. Throws NetworkError if a role has left. A role that has a certificate and connects to this role counts as
  // left only after time_to_come_again, because it may connect again.
  void make_progress(bool may_confirm);
  [[nodiscard]] bool complete() const;
  [[nodiscard]] std::vector<std::string> unconfirmed() const;

  // Ends all waits, so that the links can be closed.
  void unwatch();
  [[nodiscard]] std::vector<Link*> links() const;
  [[nodiscard]] std::vector<std::unique_ptr<Link>> take_links();
  void wait();
  [[nodiscard]] Mesh into_mesh();

 private:
  struct Peer {
    std::unique_ptr<Link> link;
    Wait wait;
    std::optional<Confirm> received{};  // may arrive before this role confirms
    bool confirmed = false;
    std::optional<Clock::time_point> left{};  // when the peer closed the link
  };

  void confirm();
  void receive(Peer& peer);
  void check(Peer& peer);
  void adopt(const Confirm& theirs, const std::string& their_name);
  [[nodiscard]] bool may_come_again(Peer& peer) const;

  Io& io_;
  const MeshConfig& config_;
  std::vector<NodeId> peers_;
  std::vector<Peer> arrived_;
  std::vector<std::string> announcements_;
  std::map<NodeId, Nonce> nonces_;
  ResumeStates resume_states_;
  std::optional<Confirm> mine_;  // of this role
  std::optional<ResumeBytes> resume_point_;
};

}  // namespace sotto::net
