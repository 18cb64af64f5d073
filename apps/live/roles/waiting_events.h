// Events that were asked for and have no answer: events that wait for a batch, and events of the batch on its way. They
// are in memory, because a caller whose connection breaks asks again. Kept events are on the disk as well, because
// their callers may never ask again.
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
  // Null if the event neither waits nor is on its way.
  [[nodiscard]] const WaitingEvent* find(const EventId& event) const;
  // Whether an event of that subject waits or is on its way.
  [[nodiscard]] bool has_subject(const std::string& subject) const { return subjects_.contains(subject); }
  // The time at which the first waiting event was asked for. Call only if an event waits.
  [[nodiscard]] LiveTime first_asked() const { return events_.at(order_.front()).asked; }

  void add(WaitingEvent event);
  // Both are for an event that is here. hasten(): the answer is due at `deadline`, if that is earlier. keep(): the
  // event is kept. Both return whether that changes anything.
  bool hasten(const EventId& event, LiveTime deadline);
  bool keep(const EventId& event) { return !std::exchange(events_.at(event).is_kept, true); }
  // The number of waiting events that have an arm of their own.
  [[nodiscard]] std::size_t with_own_arm() const;
  // Takes the first `most` waiting events. With `with_own_arm`, takes only events that have an arm of their own. They
  // are now on their way.
  [[nodiscard]] std::vector<WaitingEvent> take(std::size_t most, bool with_own_arm);
  // Events on their way wait again, before all other events and in their order.
  void put_back();
  // Call when the batch on its way is done. Its remaining events get no answer.
  void batch_done() { on_their_way_.clear(); }
  // Removes an event that has its answer, or will have none.
  void remove(const EventId& event);
  // Takes `now` as the clock's time. Later times of asking become `now`, and the deadlines of these events move back
  // with them.
  void turn_back(LiveTime now);
  // Events whose deadlines have passed, on their way or not.
  [[nodiscard]] std::vector<WaitingEvent> overdue(LiveTime now) const;
  // The earliest deadline.
  [[nodiscard]] std::optional<LiveTime> next_deadline() const;

 private:
  std::map<EventId, WaitingEvent> events_;
  std::multiset<std::string> subjects_;  // the subjects of these events
  std::multimap<LiveTime, EventId> deadlines_;
  std::deque<EventId> order_;          // events that wait, in order
  std::vector<EventId> on_their_way_;  // in the order of the batch
  LiveTime newest_ = 0;                // the latest time at which an event was asked for
};

// The times since when events are known, or wait for something. For each event an id and a time are in memory, in the
// order in which the events came. If the clock was ahead for a while, an event counts from the moment at which that was
// noticed.

struct EventAge {
  EventId event{};
  LiveTime at = 0;  // time as it was put in; the event's row has the same time
};

class EventAges {
 public:
  EventAges() = default;
  // `ages` may be in any order.
  explicit EventAges(std::vector<EventAge> ages);

  void put(const EventId& event, LiveTime at);
  // Takes `now` as the clock's time: later times become `now`.
  void turn_back(LiveTime now);
  // Takes out the first event, if its time is before `time`.
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
