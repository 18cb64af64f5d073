#include "sotto/net/mesh/handshake/messenger.h"

#include <algorithm>
#include <utility>

namespace sotto::net {

void Messenger::take(std::unique_ptr<Link> link) {
  AbortNotice words(*link, failure_);
  errands_.push_back(Errand{std::move(link), words, Wait(io_, [] {})});
}

std::vector<Lost> Messenger::make_progress() {
  std::vector<Lost> lost;
  std::vector<Errand> left;
  for (Errand& errand : errands_) {
    errand.words.make_progress();
    const Link& link = *errand.link;
    if (errand.words.heard() || (link.closed() && link.refused())) {
      done_.insert(link.peer());
    } else if (link.closed()) {
      lost.push_back(Lost{link.peer(), link.loss()});
    } else {
      left.push_back(std::move(errand));
    }
  }
  errands_ = std::move(left);
  return lost;
}

bool Messenger::tells(NodeId peer) const {
  return std::any_of(errands_.begin(), errands_.end(),
                     [&](const Errand& errand) { return errand.link->peer() == peer; });
}

void Messenger::wait() {
  for (Errand& errand : errands_) errand.wait.wait(errand.link->wait_for(true));
}

}  // namespace sotto::net
