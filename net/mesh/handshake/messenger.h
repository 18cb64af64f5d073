// Tells one failure to all peers of a role: those that it has a link with, and those that come later.
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

  // A link whose own hello is out, or posted.
  void take(std::unique_ptr<Link> link) {
    AbortNotice words(*link, failure_);
    errands_.push_back(Errand{std::move(link), words, Wait(io_, [] {})});
  }
  // Says what is to be said. Whom a link was lost with before that may be tried again.
  [[nodiscard]] std::vector<Lost> make_progress() {
    std::vector<Lost> lost;
    for (Errand& errand : std::exchange(errands_, {})) {
      errand.words.make_progress();
      const Link& link = *errand.link;
      if (errand.words.heard() || (link.closed() && link.refused())) {
        done_.insert(link.peer());
      } else if (link.closed()) {
        lost.push_back(Lost{link.peer(), link.loss()});
      } else {
        errands_.push_back(std::move(errand));
      }
    }
    return lost;
  }
  // It has heard the failure, has told one itself, one of the two does not trust the other, or it was given up.
  [[nodiscard]] bool done_with(NodeId peer) const { return done_.contains(peer); }
  void give_up(NodeId peer) { done_.insert(peer); }
  // There is a link with it.
  [[nodiscard]] bool tells(NodeId peer) const {
    return std::any_of(errands_.begin(), errands_.end(),
                       [&](const Errand& errand) { return errand.link->peer() == peer; });
  }
  // Until a link can go on.
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
