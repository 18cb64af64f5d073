#include "apps/live/roles/event_ages.h"

#include <algorithm>

namespace sotto::apps::live {

EventAges::EventAges(std::vector<EventAge> ages) {
  std::stable_sort(ages.begin(), ages.end(), [](const EventAge& a, const EventAge& b) { return a.at < b.at; });
  for (const EventAge& age : ages) put(age.event, age.at);
}

void EventAges::put(const EventId& event, LiveTime at) {
  ages_.push_back(Counted{EventAge{event, at}, at});
  newest_ = std::max(newest_, at);
}

void EventAges::turn_back(LiveTime now) {
  if (newest_ <= now) return;
  for (Counted& counted : ages_) counted.from = std::min(counted.from, now);
  newest_ = now;
}

std::optional<EventAge> EventAges::take_before(LiveTime time) {
  if (ages_.empty() || ages_.front().from >= time) return std::nullopt;
  const EventAge first = ages_.front().age;
  ages_.pop_front();
  return first;
}

}  // namespace sotto::apps::live
