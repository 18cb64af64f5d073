#include "apps/live/roles/waiting_events.h"

#include <algorithm>
#include <utility>

namespace sotto::apps::live {

const WaitingEvent* WaitingEvents::find(const EventId& event) const {
  const auto found = events_.find(event);
  return found == events_.end() ? nullptr : &found->second;
}

void WaitingEvents::add(WaitingEvent event) {
  const EventId id = event.request.event;
  const LiveTime deadline = event.deadline;
  if (!events_.emplace(id, std::move(event)).second) return;
  deadlines_.emplace(deadline, id);
  order_.push_back(id);
  if (const std::string& subject = events_.at(id).request.subject; !subject.empty()) subjects_.insert(subject);
  newest_ = std::max(newest_, events_.at(id).asked);
}

void WaitingEvents::turn_back(LiveTime now) {
  if (newest_ <= now) return;
  newest_ = now;
  deadlines_.clear();
  for (auto& [id, event] : events_) {
    const LiveTime ahead = event.asked > now ? event.asked - now : 0;
    event.asked -= ahead;
    event.deadline -= ahead;
    deadlines_.emplace(event.deadline, id);
  }
}

bool WaitingEvents::shorten_deadline(const EventId& event, LiveTime deadline) {
  LiveTime& of_event = events_.at(event).deadline;
  if (of_event <= deadline) return false;
  const auto [begin, end] = deadlines_.equal_range(of_event);
  deadlines_.erase(std::find_if(begin, end, [&](const auto& entry) { return entry.second == event; }));
  deadlines_.emplace(deadline, event);
  of_event = deadline;
  return true;
}

std::size_t WaitingEvents::with_own_arm() const {
  return static_cast<std::size_t>(std::count_if(order_.begin(), order_.end(), [&](const EventId& event) {
    return events_.at(event).request.own_arm.has_value();
  }));
}

std::vector<WaitingEvent> WaitingEvents::take(std::size_t most, bool with_own_arm) {
  std::vector<WaitingEvent> taken;
  std::deque<EventId> left;
  while (!order_.empty() && taken.size() < most) {
    WaitingEvent& event = events_.at(order_.front());
    if (with_own_arm && !event.request.own_arm) {
      left.push_back(order_.front());
    } else {
      event.on_its_way = true;
      taken.push_back(event);
      on_their_way_.push_back(order_.front());
    }
    order_.pop_front();
  }
  order_.insert(order_.begin(), left.begin(), left.end());
  return taken;
}

void WaitingEvents::put_back() {
  const auto is_here = [&](const EventId& event) {
    const auto found = events_.find(event);
    return found != events_.end() && found->second.on_its_way;
  };
  std::erase_if(on_their_way_, [&](const EventId& event) { return !is_here(event); });
  for (const EventId& event : on_their_way_) events_.at(event).on_its_way = false;
  order_.insert(order_.begin(), on_their_way_.begin(), on_their_way_.end());
  on_their_way_.clear();
}

void WaitingEvents::remove(const EventId& event) {
  const auto found = events_.find(event);
  if (found == events_.end()) return;
  const auto [begin, end] = deadlines_.equal_range(found->second.deadline);
  deadlines_.erase(std::find_if(begin, end, [&](const auto& entry) { return entry.second == event; }));
  if (!found->second.on_its_way) order_.erase(std::find(order_.begin(), order_.end(), event));
  const auto subject = subjects_.find(found->second.request.subject);
  if (subject != subjects_.end()) subjects_.erase(subject);
  events_.erase(found);
}

std::vector<WaitingEvent> WaitingEvents::overdue(LiveTime now) const {
  std::vector<WaitingEvent> events;
  for (auto entry = deadlines_.begin(); entry != deadlines_.end() && entry->first <= now; ++entry) {
    events.push_back(events_.at(entry->second));
  }
  return events;
}

std::optional<LiveTime> WaitingEvents::next_deadline() const {
  if (deadlines_.empty()) return std::nullopt;
  return deadlines_.begin()->first;
}

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
