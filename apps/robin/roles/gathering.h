// The aggregator's list of the clients of a ROBIN run: which clients have joined, and which estimates of the current
// release have arrived.
//
// The caller chooses a number for each peer. Until all clients have joined, the aggregator refuses a peer that does not
// fit the run, and another peer may join in its place. After all clients have joined, any mistake of a peer causes a
// ProtocolError that names the peer's clients, and the aggregator does not make the release.
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
  std::size_t most_a_peer = 1;
  double epsilon = 0;  // epsilon that the run promises; 0 if nothing is released
  double delta = 0;
};

class Gathering {
 public:
  using Peer = std::uint64_t;

  explicit Gathering(const GatheringShape& shape);

  // Returns nothing if the peer has joined, otherwise the reason of the refusal. This function refuses a second process
  // with the same certificate.
  [[nodiscard]] std::optional<RobinFailed> join(Peer peer, const std::string& fingerprint, const RobinJoin& join);
  // Returns true if the peer had joined.
  bool leave(Peer peer);
  [[nodiscard]] bool all_joined() const { return joined_ == shape_.clients; }

  void begin(std::uint64_t release);
  // Throws ProtocolError if the peer has not joined or has already reported, or if `estimates` has another release, a
  // wrong number of values, or a value that is not finite.
  void add(Peer peer, const RobinEstimates& estimates);
  [[nodiscard]] bool complete() const { return reported_ == members_.size() && all_joined(); }
  // Returns the estimates since begin(), clients x dimension, in the order of the clients' numbers.
  [[nodiscard]] std::span<const double> estimates() const { return estimates_; }

  [[nodiscard]] bool knows(Peer peer) const { return members_.contains(peer); }
  [[nodiscard]] std::vector<Peer> peers() const;
  // Returns a text such as "client 3" or "clients 0 to 49999".
  [[nodiscard]] std::string name(Peer peer) const;
  // Both functions return a text such as "client 3" or "client 3 and 4 more", and an empty text if no client is
  // missing.
  [[nodiscard]] std::string not_joined() const;
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
