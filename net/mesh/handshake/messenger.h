// Tells one failure to all peers of a role: those that it has a link with, and those that come later.
#pragma once

#include <memory>
#include <set>
#include <vector>

#include "sotto/net/mesh/abort.h"
#include "sotto/net/mesh/handshake/pending_connections.h"

namespace sotto::net {

class Messenger {
 public:
  Messenger(Io& io, Failure failure) : io_(io), failure_(std::move(failure)) {}

  // A link whose own hello is out, or posted.
  void take(std::unique_ptr<Link> link);
  // Says what is to be said. Whom a link was lost with before that may be tried again.
  [[nodiscard]] std::vector<Lost> make_progress();
  // It has heard the failure, has told one itself, one of the two does not trust the other, or it was given up.
  [[nodiscard]] bool done_with(NodeId peer) const { return done_.contains(peer); }
  void give_up(NodeId peer) { done_.insert(peer); }
  // There is a link with it.
  [[nodiscard]] bool tells(NodeId peer) const;
  // Until a link can go on.
  void wait();

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
