#include "apps/live/api/queue_rate.h"

#include <algorithm>
#include <cmath>

namespace sotto::apps::live {

bool QueueRate::is_due(net::Clock::time_point now) const {
  return !last_ || now - last_->at >= std::chrono::seconds(1);
}

void QueueRate::read(net::Clock::time_point now, std::uint64_t answered, std::uint64_t queue) {
  if (last_ && now > last_->at) {
    const std::chrono::duration<double> passed = now - last_->at;
    const double rate = static_cast<double>(answered - std::min(answered, last_->answered)) / passed.count();
    const double wait = rate > 0 ? std::ceil(static_cast<double>(queue) / rate) : longest;
    seconds_ = static_cast<unsigned>(std::clamp(wait, 1.0, double{longest}));
  }
  last_ = Reading{now, answered};
}

}  // namespace sotto::apps::live
