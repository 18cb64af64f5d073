// All links of one role, set up and agreed on.
//
// set_up_mesh() connects, accepts, exchanges hellos and confirms them, on all links at once, under one deadline. A
// connection that sends nothing, or sends something that is no hello, is dropped after hello_deadline and holds nobody
// up. An inquiry (net/mesh/handshake/inquiry.h) is answered. A connection that is lost before the hello is tried again.
//
// An error is thrown at this role and at every peer that it has reached by then: these peers get a `failed` frame. A
// disagreement is also thrown at peers that come before this role's deadline: this role stays until all peers have
// heard of it. So all roles report the same cause, in whatever order they are started. Errors:
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
  SessionId session;         // the config's; the links' session is made from it, net/mesh/handshake
  std::string parameters;    // canonical text of the run, see include/sotto/protocol/mesh/handshake/hello.h
  std::string announcement;  // the announcement of a compute party or an owner; empty at all other roles

  // Fingerprints of the roles' certificates. A peer that claims a role must have proved that role's certificate. Empty:
  // links prove nothing.
  std::map<NodeId, std::string> certificates{};
  // A second certificate of a role, which the role may have proved instead. For a service whose roles change their keys
  // one at a time.
  std::map<NodeId, std::string> next_certificates{};
  Resume resume{};
  // This role's part of the session's freshness. It comes from the operating system where it is absent.
  std::optional<Nonce> nonce{};
  // The version of the program, for inquiries.
  std::string software{};

  // The addresses of the roles that this role connects to (include/sotto/protocol/mesh/peers.h).
  std::map<NodeId, Address> addresses{};
  // The listener of this role, if any role connects to it.
  std::optional<TcpListener> listener{};
  // Links that need no connecting, such as ends of make_stream_pair().
  std::map<NodeId, std::unique_ptr<ByteStream>> streams{};
  // Wraps each stream before its first byte: encryption, emulated delay. `accepted` is true where the peer connected.
  // `peer` is known only where this role connected.
  using Wrap = std::function<std::unique_ptr<ByteStream>(std::unique_ptr<ByteStream>, bool accepted,
                                                         std::optional<NodeId> peer)>;
  Wrap wrap{};

  std::chrono::milliseconds setup_deadline{30'000};
  std::chrono::milliseconds hello_deadline{5'000};
  const std::atomic<bool>* interrupted = nullptr;
  // Called when a peer has sent a hello that fits. `here` of `all` peers have sent theirs by then.
  std::function<void(const std::string& peer, std::size_t here, std::size_t all)> arrived{};
  // Takes a line for the user, where the role stays to tell its peers why the run fails.
  std::function<void(const std::string&)> notice{};
  // True in a service, which begins a failed set-up again with the same peers. A disagreement is then passed on only by
  // roles that heard it from the role that found it. A disagreement that this role reported in an earlier set-up does
  // not cause another.
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
  // Fresh: no two runs have the same session.
  [[nodiscard]] const SessionId& session() const noexcept { return session_; }
  // Where the run continues, in bytes that the program reads: the same at all roles.
  [[nodiscard]] const ResumeBytes& resume_point() const noexcept { return resume_point_; }
  [[nodiscard]] const std::vector<std::unique_ptr<Link>>& links() const noexcept { return links_; }
  // Throws std::invalid_argument if this role has no such link.
  [[nodiscard]] Link& link(NodeId peer) const;
  // The announcement of a compute party or an owner.
  [[nodiscard]] const std::string& announcement(NodeId node) const { return announcements_.at(node); }

 private:
  Topology topology_;
  NodeId self_;
  SessionId session_;
  std::vector<std::unique_ptr<Link>> links_;
  std::vector<std::string> announcements_;  // announcements by party, then by owner
  ResumeBytes resume_point_;
};

[[nodiscard]] Mesh set_up_mesh(MeshConfig config);

// Wrappers of the links of a mesh (MeshConfig::wrap): encryption, emulated distance.

// All roles of a run must emulate. Each role chooses its own conditions, which hold for what it sends. The end that
// connects also decides when a link is cut. The links of one role draw from different streams of `seed`. From then on
// the thread that sets up the mesh is woken on time: the system may otherwise wake a thread up to 50 us late.
[[nodiscard]] MeshConfig::Wrap emulate_links(const LinkConditions& conditions, std::uint64_t seed);

// `certificates` has the fingerprint of every role of the run. `next` has a second fingerprint of each role that may
// show another certificate. `under` wraps each stream first: an emulated link, over which the encrypted link then runs.
// Throws as TlsContext does. Throws InputError where two roles share a certificate, or where a role that this role
// connects to has no certificate.
[[nodiscard]] MeshConfig::Wrap encrypt_links(const Identity& self, const std::map<NodeId, std::string>& certificates,
                                             MeshConfig::Wrap under = {},
                                             const std::map<NodeId, std::string>& next = {});

}  // namespace sotto::net
