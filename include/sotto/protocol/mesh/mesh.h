// All links of one role, set up and agreed on.
//
// set_up_mesh() connects, accepts, exchanges hellos and confirms them, all links at once, under one deadline. Whoever
// connects and says nothing, or says what is no hello, is dropped after hello_deadline and holds nobody up; an inquiry
// (net/mesh/handshake/inquiry.h) is answered. A connection that is lost before the hello is tried again. It throws, on
// this role and on every peer that it has reached by then (they get a `failed` frame), and of disagreements on those
// too that come before its deadline: it stays until all have heard of it, so that all tell the same cause in whatever
// order they are started:
//   NetworkError       a peer never came, or left, before the deadline
//   DisagreementError  version, session, role or parameters differ, two roles claim one name, roles
//                      told different peers different things, or resume states do not fit together
//   TrustError         a peer that we connected to showed another certificate than its own
//   ProtocolError      a peer that we connected to does not speak the protocol
//   Interrupted        the caller's flag was raised
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sotto/protocol/mesh/handshake/hello.h"
#include "sotto/protocol/mesh/link.h"
#include "sotto/protocol/transport/emulate/conditions.h"
#include "sotto/protocol/transport/tcp/listener.h"
#include "sotto/protocol/transport/tls/identity.h"

namespace sotto::net {

struct MeshConfig {
  Topology topology;
  NodeId self;               // a node, or dealer_id
  SessionId session;         // of the config; that of the links is made from it, net/handshake
  std::string parameters;    // canonical text of the run, see include/sotto/protocol/mesh/handshake/hello.h
  std::string announcement;  // of a compute party or an owner; empty at all others

  // Fingerprints of the roles' certificates: whoever says that it is a role must have proved its own. Empty: links
  // prove nothing.
  std::map<NodeId, std::string> certificates{};
  // A second one of a role, which it may have proved instead: of a service whose roles change their keys one at a time.
  std::map<NodeId, std::string> next_certificates{};
  Resume resume{};
  // What this role adds to the session's freshness; from the operating system where it is absent.
  std::optional<Nonce> nonce{};
  // The version of the program, for who inquires.
  std::string software{};

  // Of the roles that this one connects to (include/sotto/protocol/mesh/peers.h).
  std::map<NodeId, Address> addresses{};
  // Of this role, if any connects to it.
  std::optional<TcpListener> listener{};
  // Links that need no connecting, such as ends of make_stream_pair().
  std::map<NodeId, std::unique_ptr<ByteStream>> streams{};
  // Put around each stream before its first byte: encryption, emulated delay. `accepted` says who connected; the peer
  // is known only where this role did.
  using Wrap = std::function<std::unique_ptr<ByteStream>(std::unique_ptr<ByteStream>, bool accepted,
                                                         std::optional<NodeId> peer)>;
  Wrap wrap{};

  std::chrono::milliseconds setup_deadline{30'000};
  std::chrono::milliseconds hello_deadline{5'000};
  const std::atomic<bool>* interrupted = nullptr;
  // Called when a peer has said its hello and fits: `here` peers of `all` have.
  std::function<void(const std::string& peer, std::size_t here, std::size_t all)> arrived{};
  // Takes a line for the user of a role that stays to tell its peers why the run fails.
  std::function<void(const std::string&)> notice{};
  // Of a service: a set-up that fails is begun anew, with the same peers. Then a disagreement is told on by those alone
  // who heard it from the role that found it, and what this role told in a set-up before is no reason for one.
  bool begins_anew = false;
};

class Mesh {
 public:
  Mesh(Topology topology, NodeId self, SessionId session, std::vector<std::unique_ptr<Link>> links,
       std::vector<std::string> announcements, ResumeBytes resume_point = {})
      : topology_(topology),
        self_(self),
        session_(session),
        links_(std::move(links)),
        announcements_(std::move(announcements)),
        resume_point_(std::move(resume_point)) {}

  [[nodiscard]] const Topology& topology() const noexcept { return topology_; }
  [[nodiscard]] NodeId self() const noexcept { return self_; }
  // Fresh: no two runs have the same.
  [[nodiscard]] const SessionId& session() const noexcept { return session_; }
  // Where the run goes on, as the program reads it: the same at all roles.
  [[nodiscard]] const ResumeBytes& resume_point() const noexcept { return resume_point_; }
  [[nodiscard]] const std::vector<std::unique_ptr<Link>>& links() const noexcept { return links_; }
  // Throws std::invalid_argument if this role has no such link.
  [[nodiscard]] Link& link(NodeId peer) const;
  // Of a compute party or an owner.
  [[nodiscard]] const std::string& announcement(NodeId node) const { return announcements_.at(node); }

 private:
  Topology topology_;
  NodeId self_;
  SessionId session_;
  std::vector<std::unique_ptr<Link>> links_;
  std::vector<std::string> announcements_;  // by party, then by owner
  ResumeBytes resume_point_;
};

[[nodiscard]] Mesh set_up_mesh(MeshConfig config);

// What is put around the links of a mesh (MeshConfig::wrap): encryption, emulated distance.

// All roles of a run must emulate, with conditions of their own choice: each decides over what it sends. Links that
// connect also decide when they are cut. The links of one role draw from streams of `seed` that differ. The thread that
// sets up the mesh is from then on woken on time: the system's habit of waking up to 50 us late is switched off.
[[nodiscard]] MeshConfig::Wrap emulate_links(const LinkConditions& conditions, std::uint64_t seed);

// `certificates` has the fingerprint of every role of the run, and `next` a second one of those that may show another;
// `under` is put around each stream first: an emulated link, of which this one then is a user. Throws as TlsContext
// does, and InputError where two roles share a certificate, or where a role that this one connects to has none.
[[nodiscard]] MeshConfig::Wrap encrypt_links(const Identity& self, const std::map<NodeId, std::string>& certificates,
                                             MeshConfig::Wrap under = {},
                                             const std::map<NodeId, std::string>& next = {});

}  // namespace sotto::net
