// Since when events are known, or wait for something: a place and a time each in memory, in the order in which they
// came. Where the clock was ahead meanwhile, an event counts from the moment in which that was noticed.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <vector>

#include "apps/live/order/entry.h"

namespace sotto::apps::live {

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
