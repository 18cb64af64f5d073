// All links of one role, set up and confirmed by a handshake.
//
// set_up_mesh() connects, accepts and exchanges hellos on all links at once, under one deadline. A connection without a
// valid hello is dropped after hello_deadline and delays no other connection.
//
// On an error, the role sends a `failed` frame to all connected peers. After a disagreement, the role also waits for
// late peers until the role's set-up deadline, and sends the cause to each of these peers. So all roles report the same
// cause, in whatever order they start. Errors:
//   NetworkError a peer did not connect before the deadline, or closed its link
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
  NodeId self;
  SessionId session;         // the config's session
  std::string parameters;    // see include/sotto/protocol/mesh/handshake/hello.h
  std::string announcement;  // empty except at a compute party or an owner

  // Fingerprints of certificates. A peer that claims a role must prove that it holds the role's certificate in this
  // map. If the map is empty, links prove no identity.
  std::map<NodeId, std::string> certificates{};
  // Second certificates, for roles that change their key. A peer may prove that it holds the role's certificate in this
  // map instead.
  std::map<NodeId, std::string> next_certificates{};
  Resume resume{};
  // The nonce of this role. If absent, the operating system draws the nonce.
  std::optional<Nonce> nonce{};
  std::string software{};

  // The addresses of the roles that this role connects to (include/sotto/protocol/mesh/peers.h).
  std::map<NodeId, Address> addresses{};
  std::optional<TcpListener> listener{};
  // Links that need no connecting, such as ends of make_stream_pair().
  std::map<NodeId, std::unique_ptr<ByteStream>> streams{};
  // Wraps each stream before its first byte. If the peer connected to this role, `accepted` is true and `peer` is
  // empty. If this role connected to the peer, `peer` is the peer's role.
  using Wrap = std::function<std::unique_ptr<ByteStream>(std::unique_ptr<ByteStream>, bool accepted,
                                                         std::optional<NodeId> peer)>;
  Wrap wrap{};

  std::chrono::milliseconds setup_deadline{30'000};
  std::chrono::milliseconds hello_deadline{5'000};
  const std::atomic<bool>* interrupted = nullptr;
  // Called when a peer has sent a hello that fits. The peer is number `here` of `all` peers to arrive.
  std::function<void(const std::string& peer, std::size_t here, std::size_t all)> arrived{};
  // Called with a line of text for the user if this role waits for late peers, to tell them why the run fails.
  std::function<void(const std::string&)> notice{};
  // True in a service, which repeats a failed set-up. The service forwards a disagreement only if the role that found
  // the disagreement sent it directly, so that old disagreements cause no new ones.
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
  // The fresh session of the links, which no other run has.
  [[nodiscard]] const SessionId& session() const noexcept { return session_; }
  // The point from which the run continues, the same at all roles.
  [[nodiscard]] const ResumeBytes& resume_point() const noexcept { return resume_point_; }
  [[nodiscard]] const std::vector<std::unique_ptr<Link>>& links() const noexcept { return links_; }
  // Throws std::invalid_argument if this role has no link to `peer`.
  [[nodiscard]] Link& link(NodeId peer) const;
  [[nodiscard]] const std::string& announcement(NodeId node) const { return announcements_.at(node); }

 private:
  Topology topology_;
  NodeId self_;
  SessionId session_;
  std::vector<std::unique_ptr<Link>> links_;
  std::vector<std::string> announcements_;  // the parties' announcements, then the owners'
  ResumeBytes resume_point_;
};

[[nodiscard]] Mesh set_up_mesh(MeshConfig config);

// Applies `conditions` to the bytes that this role sends, with random streams from `seed`. All roles of a run must
// emulate their links, or none.
[[nodiscard]] MeshConfig::Wrap emulate_links(const LinkConditions& conditions, std::uint64_t seed);

// `certificates` maps each role to its fingerprint. `next` maps roles that change their key to a second fingerprint.
// `under` wraps each stream before TLS does. Throws the errors of TlsContext, and InputError if two roles share a
// certificate, or if a role that this role connects to has no certificate.
[[nodiscard]] MeshConfig::Wrap encrypt_links(const Identity& self, const std::map<NodeId, std::string>& certificates,
                                             MeshConfig::Wrap under = {},
                                             const std::map<NodeId, std::string>& next = {});

}  // namespace sotto::net
