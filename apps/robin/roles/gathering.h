// The clients of a ROBIN run as the aggregator counts them: who has joined, and whose estimates of the present release
// are here.
//
// A process joins with one client, or with many in a simulation; peers are numbers that the caller chooses. Until all
// have joined, one that does not fit is refused and another may come in its place; afterwards whatever a peer does
// wrong is a ProtocolError that names its clients, and the release does not happen.
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
  std::size_t most_a_peer = 1;  // clients that one process may play
  double epsilon = 0;           // what the run promises; 0 where nothing is released
  double delta = 0;
};

class Gathering {
 public:
  using Peer = std::uint64_t;

  explicit Gathering(const GatheringShape& shape);

  // Nothing if the peer is in; else why not, in one line for that peer. `fingerprint` is of its certificate, empty
  // where links prove none: one certificate is one process.
  [[nodiscard]] std::optional<RobinFailed> join(Peer peer, const std::string& fingerprint, const RobinJoin& join);
  // The peer has gone. True if it was in; its clients are then missing again.
  bool leave(Peer peer);
  [[nodiscard]] bool all_joined() const { return joined_ == shape_.clients; }

  // Waits for estimates of this release, from all.
  void begin(std::uint64_t release);
  // ProtocolError: a peer that has not joined, that has reported already, another release, another number of values, a
  // value that is no finite number.
  void add(Peer peer, const RobinEstimates& estimates);
  [[nodiscard]] bool complete() const { return reported_ == members_.size() && all_joined(); }
  // clients x dimension, by number; of those who have reported since begin().
  [[nodiscard]] std::span<const double> estimates() const { return estimates_; }

  [[nodiscard]] bool knows(Peer peer) const { return members_.contains(peer); }
  [[nodiscard]] std::vector<Peer> peers() const;
  // "client 3", "clients 0 to 49999".
  [[nodiscard]] std::string name(Peer peer) const;
  // Who has not joined: "client 3", "client 3 and 4 more"; empty if all have.
  [[nodiscard]] std::string not_joined() const;
  // Of whom there are no estimates yet.
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
