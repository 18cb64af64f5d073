#include "sotto/apps/p2b/agent.h"

#include <stdexcept>

namespace sotto::apps {

void Agent::reward(double value) {
  if (!waits_) throw std::invalid_argument("Agent::reward: no arm waits for a reward");
  waits_ = false;
  pending_.reward = clip_reward(value, clipped_);
  model_.update(pending_);
  interactions_.push_back(pending_);
}

void Agent::restart() {
  model_.restart();
  interactions_.clear();
  waits_ = false;
  reported_ = false;
  clipped_ = 0;
}

}  // namespace sotto::apps
