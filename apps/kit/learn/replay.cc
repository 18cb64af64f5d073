#include "apps/kit/learn/replay.h"

#include <cmath>

#include "sotto/protocol/error/errors.h"

namespace sotto::apps {

bool ReplayEstimate::offer(std::size_t chosen, std::size_t logged, double reward) {
  if (!std::isfinite(reward)) throw InputError("a logged reward is not a finite number");
  ++events_;
  if (chosen != logged) return false;
  ++kept_;
  mean_ += (reward - mean_) / static_cast<double>(kept_);
  return true;
}

std::optional<double> ReplayEstimate::value() const {
  if (kept_ == 0) return std::nullopt;
  return mean_;
}

void ReplayEstimate::mark() {
  if (kept_ > 0) curve_.push_back({events_, kept_, mean_});
}

}  // namespace sotto::apps
