// Ends a failed run: finds the role to blame, tells every peer, and closes the links.
#pragma once

#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <vector>

#include "sotto/protocol/mesh/link.h"

namespace sotto::net {

// Sends `failed`, then ends this role's direction of the link. This role reads until the peer closes, because a reset
// of the connection could overtake the bytes just sent. The link must outlive this object.
class AbortNotice {
 public:
  AbortNotice(Link& link, const Failure& failure);
  void make_progress();
  // Returns true if the peer has read the failure, has had time to read it, or has failed by itself.
  [[nodiscard]] bool received() const;

 private:
  Link* link_;
  bool ended_ = false;
  std::optional<Clock::time_point> read_by_;  // set once all bytes are sent
};

// If the error is only the loss of a peer, waits a moment for another link to explain the loss. Sends `failed` on every
// link and closes the links within a short limit. Throws the root cause if a peer has named it, and otherwise the given
// error.
[[noreturn]] void fail_run(const std::exception_ptr& error, const Topology& topology, NodeId self, std::uint64_t round,
                           const std::vector<Link*>& links);

void close_links(const std::vector<Link*>& links) noexcept;

}  // namespace sotto::net
