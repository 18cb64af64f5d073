// Tells one failure to all peers of a role, even if a peer connects later.
#pragma once

#include <algorithm>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "net/mesh/handshake/abort.h"
#include "net/mesh/handshake/pending_connections.h"

namespace sotto::net {

class Messenger {
 public:
  Messenger(Io& io, Failure failure) : io_(io), failure_(std::move(failure)) {}

  // This role's hello must already be sent or posted on the link.
  void take(std::unique_ptr<Link> link) {
    AbortNotice words(*link, failure_);
    errands_.push_back(Errand{std::move(link), words, Wait(io_, [] {})});
  }
  // Returns the peers whose link was lost before they received the failure.
  [[nodiscard]] std::vector<Disconnected> make_progress() {
    std::vector<Disconnected> lost;
    for (Errand& errand : std::exchange(errands_, {})) {
      errand.words.make_progress();
      const Link& link = *errand.link;
      if (errand.words.received() || (link.closed() && link.refused())) {
        done_.insert(link.peer());
      } else if (link.closed()) {
        lost.push_back(Disconnected{link.peer(), link.loss()});
      } else {
        errands_.push_back(std::move(errand));
      }
    }
    return lost;
  }
  // Returns true if the peer has received or reported a failure or was given up. Also returns true if one of the two
  // roles does not trust the other.
  [[nodiscard]] bool done_with(NodeId peer) const { return done_.contains(peer); }
  void give_up(NodeId peer) { done_.insert(peer); }
  [[nodiscard]] bool tells(NodeId peer) const {
    return std::any_of(errands_.begin(), errands_.end(),
                       [&](const Errand& errand) { return errand.link->peer() == peer; });
  }
  void wait() {
    for (Errand& errand : errands_) errand.wait.wait(errand.link->wait_for(true));
  }

 private:
  struct Errand {
    std::unique_ptr<Link> link;
    AbortNotice words;
    Wait wait;
  };

  Io& io_;
  Failure failure_;
  std::vector<Errand> errands_;
  std::set<NodeId> done_;
};

}  // namespace sotto::net
