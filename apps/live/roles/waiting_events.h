// Events that wait for a batch, and events of the running batch. Kept events are also on the disk, because their
// callers may never ask again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "apps/live/order/entry.h"
#include "apps/live/roles/decisions.h"

namespace sotto::apps::live {

struct WaitingEvent {
  DecisionRequest request;
  net::Digest body{};
  LiveTime asked = 0;
  LiveTime deadline = 0;
  bool is_kept = false;
  bool on_its_way = false;
};

class WaitingEvents {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return order_.size(); }
  [[nodiscard]] bool empty() const noexcept { return order_.empty(); }
  [[nodiscard]] const WaitingEvent* find(const EventId& event) const;
  [[nodiscard]] bool has_subject(const std::string& subject) const { return subjects_.contains(subject); }
  [[nodiscard]] LiveTime first_asked() const { return events_.at(order_.front()).asked; }

  void add(WaitingEvent event);
  // Call shorten_deadline() and keep() only for an event in this object. Both functions return whether they changed the
  // event.
  bool shorten_deadline(const EventId& event, LiveTime deadline);
  bool keep(const EventId& event) { return !std::exchange(events_.at(event).is_kept, true); }
  [[nodiscard]] std::size_t with_own_arm() const;
  // Moves the first `most` waiting events to the running batch. With `with_own_arm`, takes only events whose callers
  // have named their own arm.
  [[nodiscard]] std::vector<WaitingEvent> take(std::size_t most, bool with_own_arm);
  // Makes the events of the running batch wait again, in their order, before all other events.
  void put_back();
  void batch_done() { on_their_way_.clear(); }
  void remove(const EventId& event);
  // If an event was asked at a time later than `now`, this time becomes `now`. The deadline of the event moves back by
  // the same number of ms.
  void turn_back(LiveTime now);
  [[nodiscard]] std::vector<WaitingEvent> overdue(LiveTime now) const;
  [[nodiscard]] std::optional<LiveTime> next_deadline() const;

 private:
  std::map<EventId, WaitingEvent> events_;
  std::multiset<std::string> subjects_;
  std::multimap<LiveTime, EventId> deadlines_;
  std::deque<EventId> order_;
  std::vector<EventId> on_their_way_;
  LiveTime newest_ = 0;
};

// Finds events that came before a given time. If the clock is set back to a time before an event, the event counts as
// if it came when turn_back() is called.

struct EventAge {
  EventId event{};
  LiveTime at = 0;
};

class EventAges {
 public:
  EventAges() = default;
  explicit EventAges(std::vector<EventAge> ages);

  void put(const EventId& event, LiveTime at);
  void turn_back(LiveTime now);
  [[nodiscard]] std::optional<EventAge> take_before(LiveTime time);
  [[nodiscard]] std::size_t size() const noexcept { return ages_.size(); }

 private:
  struct Counted {
    EventAge age;
    LiveTime from;
  };
  std::deque<Counted> ages_;
  LiveTime newest_ = 0;
};

}  // namespace sotto::apps::live
