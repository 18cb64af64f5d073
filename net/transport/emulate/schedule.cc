#include "sotto/net/transport/emulate/schedule.h"

#include <algorithm>
#include <cmath>

namespace sotto::net {

using std::chrono::nanoseconds;

SendSchedule::SendSchedule(const LinkConditions& conditions, std::uint64_t seed)
    : conditions_(conditions), buffered_(transfer_time(conditions, send_buffer)), random_(seed) {}

double SendSchedule::uniform() { return static_cast<double>(random_() >> 11) * 0x1p-53; }

Clock::time_point SendSchedule::send(std::size_t bytes, Clock::time_point now) {
  free_at_ = std::max(free_at_, now) + transfer_time(conditions_, bytes);
  const nanoseconds jitter(std::llround(uniform() * static_cast<double>(conditions_.jitter.count())));
  last_arrival_ = std::max(last_arrival_, free_at_ + conditions_.delay + jitter);
  return last_arrival_;
}

Clock::time_point SendSchedule::cut_time(Clock::time_point made) {
  if (conditions_.cut_after) return made + *conditions_.cut_after;
  if (conditions_.cut_probability <= 0) return Clock::time_point::max();
  // It survives t seconds with probability (1 - p)^t.
  const double seconds = std::log1p(-uniform()) / std::log1p(-conditions_.cut_probability);
  constexpr double very_late = 1e9;
  return made + nanoseconds(std::llround(1e9 * std::min(seconds, very_late)));
}

}  // namespace sotto::net
