// Events without an answer: events that wait for a batch, and events of the running batch. Such events are only in
// memory, because a caller whose connection breaks asks again. Kept events are also on the disk, because their callers
// may never ask again.
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
  // Returns null if the event neither waits nor is in the running batch.
  [[nodiscard]] const WaitingEvent* find(const EventId& event) const;
  // Whether an event of the subject waits or is in the running batch.
  [[nodiscard]] bool has_subject(const std::string& subject) const { return subjects_.contains(subject); }
  // The time of the first waiting event's call. Call only if an event waits.
  [[nodiscard]] LiveTime first_asked() const { return events_.at(order_.front()).asked; }

  void add(WaitingEvent event);
  // Call shorten_deadline() and keep() only for an event in this object. shorten_deadline() moves the event's deadline
  // to `deadline`, if that is earlier. keep() marks the event as kept. Both functions return whether they changed the
  // event.
  bool shorten_deadline(const EventId& event, LiveTime deadline);
  bool keep(const EventId& event) { return !std::exchange(events_.at(event).is_kept, true); }
  // The number of waiting events whose callers named an own arm.
  [[nodiscard]] std::size_t with_own_arm() const;
  // Moves the first `most` waiting events to the running batch and returns them. With `with_own_arm`, takes only events
  // whose callers named an own arm.
  [[nodiscard]] std::vector<WaitingEvent> take(std::size_t most, bool with_own_arm);
  // Makes the events of the running batch wait again, in their order, before all other events.
  void put_back();
  // Call when the running batch is done. The batch's remaining events get no answer.
  void batch_done() { on_their_way_.clear(); }
  // Removes an event that has its answer or will get no answer.
  void remove(const EventId& event);
  // Handles a clock that was set back to `now`. If the call of an event has a later time, this time becomes `now`, and
  // the event's deadline moves back by the same amount.
  void turn_back(LiveTime now);
  // Returns the events whose deadlines have passed, including events of the running batch.
  [[nodiscard]] std::vector<WaitingEvent> overdue(LiveTime now) const;
  // The earliest deadline.
  [[nodiscard]] std::optional<LiveTime> next_deadline() const;

 private:
  std::map<EventId, WaitingEvent> events_;
  std::multiset<std::string> subjects_;  // the subjects of all events in `events_`
  std::multimap<LiveTime, EventId> deadlines_;
  std::deque<EventId> order_;          // waiting events, in order
  std::vector<EventId> on_their_way_;  // events of the running batch, in order
  LiveTime newest_ = 0;                // the latest time of an event's call
};

// A queue of event ids with times, to find events that are older than a given time. Ids and times are in memory, in the
// order in which they were added. If the clock was ahead and is set back, the age of an event is measured from the
// moment when turn_back() is called.

struct EventAge {
  EventId event{};
  LiveTime at = 0;  // the time that put() received, equal to the time in the event's row
};

class EventAges {
 public:
  EventAges() = default;
  // `ages` may be in any order.
  explicit EventAges(std::vector<EventAge> ages);

  void put(const EventId& event, LiveTime at);
  // Handles a clock that was set back to `now`: later times become `now`.
  void turn_back(LiveTime now);
  // Removes and returns the first event, if its time is before `time`.
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
