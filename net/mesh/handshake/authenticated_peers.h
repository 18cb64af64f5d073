// The roles that have said their hello: collects what they said, and once all have, confirms that all have heard the
// same.
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

// The second frame on every link, once all hellos are in: what its sender has heard. It catches who tells different
// peers different things.
//
//     SHA-256 of the parameters without trust      32 bytes
//     the fresh session                            16
//     SHA-256 of each party's announcement         32 each, in party order
//     from the dealer and the parties, length and bytes of the resume point: 8 + at most 256
//     from them, length and text of each owner's announcement: 4 + at most 1,024 each, in the order of owners
//
// Nodes outside the parties do not hear each other: they adopt the resume point and the owners' announcements, if all
// that tell them say the same.

inline constexpr std::size_t longest_of_owner = 1024;  // bytes of an announcement

struct Confirm {
  Digest parameters{};
  SessionId session{};
  std::vector<Digest> announcements;        // by party
  std::optional<ResumeBytes> resume_point;  // of the dealer and the parties
  std::vector<std::string> of_owners{};     // likewise; elsewhere none

  friend bool operator==(const Confirm&, const Confirm&) = default;
};

[[nodiscard]] std::size_t longest_confirm(const Topology& topology, NodeId sender);
[[nodiscard]] std::vector<std::byte> encode(const Confirm& confirm);
// Nothing if the payload is no confirm of that sender.
[[nodiscard]] std::optional<Confirm> decode_confirm(std::span<const std::byte> payload, const Topology& topology,
                                                    NodeId sender);

// What differs, in one phrase, between two that have the same session; nothing if both have heard the same. Resume
// points and what owners announced are compared where both have them, and points shown as `describe` says. Another
// session is no disagreement: so it is where a role was started anew when some of its peers had confirmed already.
[[nodiscard]] std::optional<std::string> difference(const Confirm& mine, const Confirm& theirs,
                                                    const std::string& my_name, const std::string& their_name,
                                                    const decltype(Resume::describe)& describe);

// A role that is killed and started anew may be back before its old link is seen to be closed, or soon after that.
inline constexpr std::chrono::seconds time_to_come_again{1};

class AuthenticatedPeers {
 public:
  // `mine` is this role's hello. Both references must outlive this.
  AuthenticatedPeers(Io& io, const MeshConfig& config, const Hello& mine);

  // Keeps the link of a role, before it is checked: if it is refused, it must hear why.
  void add(std::unique_ptr<Link> link);
  // What it said, once that is checked.
  void note(const Hello& hello);
  [[nodiscard]] bool has(NodeId role) const;
  // Drops the link of a role whose end of it is closed, so that it may come again; not once this role has confirmed
  // what it said. Whether it did.
  bool drop_dead(NodeId role);

  // To be called again and again: confirms when all are here and `may_confirm`, sends, hears. Throws DisagreementError
  // if a role has heard something else than this one, or if there is no resume point that suits all; ProtocolError for
  // another frame than a confirm; NetworkError if a role left, and, where it was the one that called and has a
  // certificate, did not call again within time_to_come_again.
  void make_progress(bool may_confirm);
  // All have confirmed the same, and this role's confirms are out.
  [[nodiscard]] bool complete() const;
  // Who has not confirmed, once all are here.
  [[nodiscard]] std::vector<std::string> unconfirmed() const;

  // Once the set-up has failed: nothing waits for the links any more, so that they can be closed.
  void unwatch();
  [[nodiscard]] std::vector<Link*> links() const;
  [[nodiscard]] std::vector<std::unique_ptr<Link>> take_links();
  // Until one of them can go on.
  void wait();
  // Once complete.
  [[nodiscard]] Mesh into_mesh();

 private:
  struct Peer {
    std::unique_ptr<Link> link;
    Wait wait;
    std::optional<Confirm> heard{};  // may come before all hellos are in
    bool confirmed = false;
    std::optional<Clock::time_point> left{};  // it has closed the link
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
  std::vector<std::string> announcements_;  // by party, then by owner
  std::map<NodeId, Nonce> nonces_;
  ResumeStates resume_states_;
  std::optional<Confirm> mine_;              // once it is sent
  std::optional<ResumeBytes> resume_point_;  // computed, or adopted from who confirmed first
};

}  // namespace sotto::net
