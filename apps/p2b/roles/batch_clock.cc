#include "sotto/apps/p2b/roles/batch_clock.h"

#include <ctime>
#include <stdexcept>
#include <utility>

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

std::string tick_text(Tick tick) {
  const std::time_t time = tick.time_since_epoch().count();
  std::tm utc{};
  ::gmtime_r(&time, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

}  // namespace sotto::apps
