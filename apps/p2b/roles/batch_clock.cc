#include "sotto/apps/p2b/roles/batch_clock.h"

#include <stdexcept>
#include <utility>

#include "sotto/apps/kit/program/utc_now.h"

namespace sotto::apps {

BatchClock::BatchClock(std::chrono::seconds period, Now now) : period_(period), now_(std::move(now)) {
  if (period < std::chrono::seconds(1) || period > longest_period) {
    throw std::invalid_argument("a period of batches is from 1 second to 30 days");
  }
}

Tick BatchClock::tick_after(Time time) const {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time).time_since_epoch();
  return Tick((seconds / period_ + 1) * period_);
}

std::string tick_text(Tick tick) { return utc_text(tick.time_since_epoch().count()); }

}  // namespace sotto::apps
