// All links of one role, set up and confirmed by a handshake.
//
// set_up_mesh() connects, accepts, exchanges hellos and confirms them, on all links at once, under one deadline. A
// connection that sends nothing, or sends something that is no hello, is dropped after hello_deadline and delays no
// other connection. An inquiry (net/mesh/handshake/inquiry.h) is answered. A connection that is lost before the hello
// is tried again.
//
// An error is thrown at this role and at every peer that this role has reached: these peers get a `failed` frame. A
// disagreement is also thrown at peers that come before this role's deadline: this role stays until all peers have
// received the disagreement. So all roles report the same cause, whatever order they are started in. Errors:
//   NetworkError       a peer did not come before the deadline, or left again
//   DisagreementError  version, session, role or parameters differ, two roles claim one name, a role sent different
//                      things to different peers, or resume states do not fit together
//   TrustError         a peer that this role connected to showed a wrong certificate
//   ProtocolError      a peer that this role connected to does not speak the protocol
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
  SessionId session;         // the config's session, from which the session of the links is made (net/mesh/handshake)
  std::string parameters;    // canonical text of the run, see include/sotto/protocol/mesh/handshake/hello.h
  std::string announcement;  // the announcement of a compute party or an owner; empty at all other roles

  // Fingerprints of the roles' certificates. A peer that claims a role must have proved that it holds that role's
  // certificate. If the map is empty, links prove no identity.
  std::map<NodeId, std::string> certificates{};
  // A second certificate of a role. The role may prove that it holds this certificate instead of the first. A service,
  // whose roles change their keys one at a time, needs second certificates.
  std::map<NodeId, std::string> next_certificates{};
  Resume resume{};
  // The nonce of this role, which makes the session of the links new. If absent, the nonce comes from the operating
  // system.
  std::optional<Nonce> nonce{};
  // The version of the program, for answers to inquiries.
  std::string software{};

  // The addresses of the roles that this role connects to (include/sotto/protocol/mesh/peers.h).
  std::map<NodeId, Address> addresses{};
  // The listener of this role, if any role connects to it.
  std::optional<TcpListener> listener{};
  // Links that need no connecting, such as ends of make_stream_pair().
  std::map<NodeId, std::unique_ptr<ByteStream>> streams{};
  // Wraps each stream before its first byte: encryption, emulated delay. `accepted` is true if the peer connected to
  // this role. `peer` is known only if this role connected to the peer.
  using Wrap = std::function<std::unique_ptr<ByteStream>(std::unique_ptr<ByteStream>, bool accepted,
                                                         std::optional<NodeId> peer)>;
  Wrap wrap{};

  std::chrono::milliseconds setup_deadline{30'000};
  std::chrono::milliseconds hello_deadline{5'000};
  const std::atomic<bool>* interrupted = nullptr;
  // Called when a peer has sent a hello that fits. `here` is the number of peers that have sent such a hello so far,
  // and `all` is the number of all peers.
  std::function<void(const std::string& peer, std::size_t here, std::size_t all)> arrived{};
  // Called with a line for the user if this role stays to tell its peers why the run fails.
  std::function<void(const std::string&)> notice{};
  // True in a service, which begins a failed set-up again with the same peers. In a service, a role passes a
  // disagreement on only if it received the disagreement from the role that found it. A disagreement that this role
  // reported in an earlier set-up does not cause another disagreement.
  bool starts_over = false;
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
  // The session of the links, which is fresh: no two runs have the same session.
  [[nodiscard]] const SessionId& session() const noexcept { return session_; }
  // The point from which the run continues, in bytes that the program reads. All roles have the same bytes.
  [[nodiscard]] const ResumeBytes& resume_point() const noexcept { return resume_point_; }
  [[nodiscard]] const std::vector<std::unique_ptr<Link>>& links() const noexcept { return links_; }
  // Throws std::invalid_argument if this role has no link to `peer`.
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

// If one role emulates its links, all roles of the run must emulate their links. Each role chooses its own conditions,
// which apply to the bytes that the role sends. The end that connects also decides when a link is cut. Each link of a
// role draws from its own random stream, derived from `seed`. The wrapper also asks the system for punctual wake-ups of
// the thread that sets up the mesh. Otherwise the system may wake this thread up to 50 us late.
[[nodiscard]] MeshConfig::Wrap emulate_links(const LinkConditions& conditions, std::uint64_t seed);

// `certificates` has the fingerprint of every role of the run. `next` has a second fingerprint of each role that may
// show another certificate. `under` wraps each stream first, for example as an emulated link, and the encrypted link
// runs over the result. Throws the errors of TlsContext. Throws InputError if two roles share a certificate, or if a
// role that this role connects to has no certificate.
[[nodiscard]] MeshConfig::Wrap encrypt_links(const Identity& self, const std::map<NodeId, std::string>& certificates,
                                             MeshConfig::Wrap under = {},
                                             const std::map<NodeId, std::string>& next = {});

}  // namespace sotto::net
