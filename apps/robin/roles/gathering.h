// The aggregator's account of the clients of a ROBIN run: which clients have joined, and which estimates of the current
// release have arrived.
//
// A process joins with one client, or with many in a simulation. A peer is identified by a number that the caller
// chooses. Until all clients have joined, a peer that does not fit the run is refused, and another peer may join in its
// place. After all clients have joined, any mistake of a peer is a ProtocolError that names the peer's clients, and the
// release is not made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/robin/roles/messages.h"

namespace sotto::apps::robin {

struct GatheringShape {
  std::size_t clients = 0;
  std::size_t dimension = 0;
  std::size_t arms = 0;
  std::uint64_t steps = 0;
  bool simulated = true;
  std::size_t most_a_peer = 1;  // the number of clients that one process may play
  double epsilon = 0;           // the epsilon that the run promises; 0 if nothing is released
  double delta = 0;
};

class Gathering {
 public:
  using Peer = std::uint64_t;

  explicit Gathering(const GatheringShape& shape);

  // Lets a peer join. Returns nothing if the peer has joined, otherwise one line that tells the peer the reason.
  // `fingerprint` is the fingerprint of the peer's certificate, or empty if links have no certificates. A second
  // process with the same certificate is refused.
  [[nodiscard]] std::optional<RobinFailed> join(Peer peer, const std::string& fingerprint, const RobinJoin& join);
  // Removes a peer that has disconnected. Returns true if the peer had joined; the peer's clients are then missing
  // again.
  bool leave(Peer peer);
  [[nodiscard]] bool all_joined() const { return joined_ == shape_.clients; }

  // Starts to wait for the estimates of this release from all clients.
  void begin(std::uint64_t release);
  // Throws ProtocolError if the peer has not joined or has already reported. Throws ProtocolError if `estimates` is for
  // another release, has the wrong number of values, or has a value that is not finite.
  void add(Peer peer, const RobinEstimates& estimates);
  [[nodiscard]] bool complete() const { return reported_ == members_.size() && all_joined(); }
  // The estimates, clients x dimension, in the order of the clients' numbers; filled for the clients that have reported
  // since begin().
  [[nodiscard]] std::span<const double> estimates() const { return estimates_; }

  [[nodiscard]] bool knows(Peer peer) const { return members_.contains(peer); }
  [[nodiscard]] std::vector<Peer> peers() const;
  // The clients of a peer, as text: "client 3", "clients 0 to 49999".
  [[nodiscard]] std::string name(Peer peer) const;
  // The clients that have not joined: "client 3", "client 3 and 4 more"; empty if all have joined.
  [[nodiscard]] std::string not_joined() const;
  // The clients whose estimates are still missing, in the form of not_joined().
  [[nodiscard]] std::string not_reported() const;

 private:
  struct Member {
    RobinJoin join;
    std::string fingerprint;
    bool reported = false;
  };
  [[nodiscard]] std::optional<RobinFailed> shape_refusal(const RobinJoin& join) const;
  [[nodiscard]] std::optional<RobinFailed> identity_refusal(const std::string& fingerprint,
                                                            const RobinJoin& join) const;

  GatheringShape shape_;
  std::map<Peer, Member> members_;
  std::size_t joined_ = 0;
  std::uint64_t release_ = 0;
  std::size_t reported_ = 0;
  std::vector<double> estimates_;
};

}  // namespace sotto::apps::robin
