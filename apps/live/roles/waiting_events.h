// Events that were asked and have no answer: those that wait for a batch, and those of the batch on its way. In memory:
// a caller whose connection breaks asks again. Those that are kept are on the disk as well, since nobody may ask again.
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
  // Null if it is neither waiting nor on its way.
  [[nodiscard]] const WaitingEvent* find(const EventId& event) const;
  // Whether one of that subject is here.
  [[nodiscard]] bool has_subject(const std::string& subject) const { return subjects_.contains(subject); }
  // When the first that waits was asked; only if one waits.
  [[nodiscard]] LiveTime first_asked() const { return events_.at(order_.front()).asked; }

  void add(WaitingEvent event);
  // Of an event that is here: its answer is due by then, if that is earlier; it is kept. Whether that changes anything.
  bool hasten(const EventId& event, LiveTime deadline);
  bool keep(const EventId& event) { return !std::exchange(events_.at(event).is_kept, true); }
  // Of those that wait, the ones that have an arm of their own.
  [[nodiscard]] std::size_t with_own_arm() const;
  // The first `most` that wait, or of those with an arm of their own, are on their way.
  [[nodiscard]] std::vector<WaitingEvent> take(std::size_t most, bool with_own_arm);
  // Those on their way wait again, before all others and in their order.
  void put_back();
  // The batch on its way is done: what is left of it has no answer to come.
  void batch_done() { on_their_way_.clear(); }
  // It has its answer, or will have none.
  void remove(const EventId& event);
  // By the clock it is `now`: none was asked later, and the deadlines of those that were go back with them.
  void turn_back(LiveTime now);
  // Whose deadlines have passed, on their way or not.
  [[nodiscard]] std::vector<WaitingEvent> overdue(LiveTime now) const;
  // The earliest deadline.
  [[nodiscard]] std::optional<LiveTime> next_deadline() const;

 private:
  std::map<EventId, WaitingEvent> events_;
  std::multiset<std::string> subjects_;  // theirs
  std::multimap<LiveTime, EventId> deadlines_;
  std::deque<EventId> order_;          // who waits
  std::vector<EventId> on_their_way_;  // in the order of the batch
  LiveTime newest_ = 0;                // when one was asked last
};

// Since when events are known, or wait for something: a place and a time each in memory, in the order in which they
// came. Where the clock was ahead meanwhile, an event counts from the moment in which that was noticed.

struct EventAge {
  EventId event{};
  LiveTime at = 0;  // as it was put, which its row has too
};

class EventAges {
 public:
  EventAges() = default;
  // In any order.
  explicit EventAges(std::vector<EventAge> ages);

  void put(const EventId& event, LiveTime at);
  // By the clock it is `now`: nothing is later than that.
  void turn_back(LiveTime now);
  // The first, if it counts from before `time`.
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
