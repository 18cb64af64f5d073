// How a failed run ends: who is to blame is found out, every peer is told, then links are closed.
#pragma once

#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <vector>

#include "sotto/protocol/mesh/link.h"

namespace sotto::net {

// The end of one link: `failed`, then the end of this direction. Reading goes on until the peer closes, which
// keeps the system from resetting the connection, which could overtake what was just sent. The link must outlive this.
class AbortNotice {
 public:
  AbortNotice(Link& link, const Failure& failure);
  void make_progress();
  // The peer has read it, or had time to; or it has failed by itself.
  [[nodiscard]] bool heard() const;

 private:
  Link* link_;
  bool ended_ = false;                        // this direction
  std::optional<Clock::time_point> read_by_;  // once they are out
};

// To be called with the error that ended the run. When a peer was merely lost, looks for a moment whether another link
// explains it. Sends `failed` on every link, closes them in order within a short limit, and throws the error that is to
// be reported: the root cause where a peer told it, else the error given.
[[noreturn]] void fail_run(const std::exception_ptr& error, const Topology& topology, NodeId self, std::uint64_t round,
                           const std::vector<Link*>& links);

// Ends all links after a run that all peers have finished.
void close_links(const std::vector<Link*>& links) noexcept;

}  // namespace sotto::net
