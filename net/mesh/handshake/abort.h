// The end of a failed run: finds the role to blame, tells every peer, then closes the links.
#pragma once

#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <vector>

#include "sotto/protocol/mesh/link.h"

namespace sotto::net {

// Ends one link: sends `failed`, then ends this role's direction of the link. Reading continues until the peer closes,
// so that the system does not reset the connection. A reset could overtake the bytes just sent. The link must outlive
// this object.
class AbortNotice {
 public:
  AbortNotice(Link& link, const Failure& failure);
  void make_progress();
  // True if the peer has read the failure, has had time to read it, or has failed by itself.
  [[nodiscard]] bool heard() const;

 private:
  Link* link_;
  bool ended_ = false;                        // whether this role's direction has ended
  std::optional<Clock::time_point> read_by_;  // set once all bytes are sent
};

// Must be called with the error that ended the run. If the error is only the loss of a peer, waits a moment for another
// link to explain the loss. Sends `failed` on every link and closes the links in order within a short limit. Throws the
// error to report: the root cause if a peer has named it, else the given error.
[[noreturn]] void fail_run(const std::exception_ptr& error, const Topology& topology, NodeId self, std::uint64_t round,
                           const std::vector<Link*>& links);

// Ends all links after a run that all peers have finished.
void close_links(const std::vector<Link*>& links) noexcept;

}  // namespace sotto::net
