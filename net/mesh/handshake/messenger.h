// Tells one failure to all peers of a role: peers that already have a link with the role, and peers that connect later.
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

  // Adds a link, on which make_progress() then sends the failure. On this link, this role's hello must already be sent
  // or posted.
  void take(std::unique_ptr<Link> link) {
    AbortNotice words(*link, failure_);
    errands_.push_back(Errand{std::move(link), words, Wait(io_, [] {})});
  }
  // Sends everything that is due. Returns the peers whose link was lost before they received the failure; the caller
  // may try such peers again.
  [[nodiscard]] std::vector<Disconnected> make_progress() {
    std::vector<Disconnected> lost;
    for (Errand& errand : std::exchange(errands_, {})) {
      errand.words.make_progress();
      const Link& link = *errand.link;
      if (errand.words.heard() || (link.closed() && link.refused())) {
        done_.insert(link.peer());
      } else if (link.closed()) {
        lost.push_back(Disconnected{link.peer(), link.loss()});
      } else {
        errands_.push_back(std::move(errand));
      }
    }
    return lost;
  }
  // True if the peer has received the failure, has reported a failure itself, or was given up. Also true if this role
  // does not trust the peer, or if the peer does not trust this role.
  [[nodiscard]] bool done_with(NodeId peer) const { return done_.contains(peer); }
  void give_up(NodeId peer) { done_.insert(peer); }
  // True if there is a link with the peer.
  [[nodiscard]] bool tells(NodeId peer) const {
    return std::any_of(errands_.begin(), errands_.end(),
                       [&](const Errand& errand) { return errand.link->peer() == peer; });
  }
  // Makes the Io wake as soon as a link can continue.
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
