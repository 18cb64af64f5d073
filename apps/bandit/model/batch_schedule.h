// The order in which a run decides and learns its events. A run of single steps has batches of one event.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "apps/bandit/model/parameters.h"

namespace sotto::apps::bandit {

// Consecutive events of a run.
struct EventRange {
  std::uint64_t first;
  std::size_t count;
  friend bool operator==(const EventRange&, const EventRange&) = default;
};

// The next turn of a run: the run learns from `events` if `learns`, and otherwise decides `events`.
struct BatchTurn {
  bool learns;
  EventRange events;
  friend bool operator==(const BatchTurn&, const BatchTurn&) = default;
};

// The order of a run over T events. The reward of an event comes when `lag` more events have been decided. A batch is
// learned as soon as its rewards have arrived, before the next decision.
//
// Batches have B events where B + lag <= 40 A. Where B + lag is larger, the size of the first batches is the largest
// power of two up to 8 A. The size doubles, up to B, as soon as the doubled size is at most half of the number of
// earlier events. Without small first batches, many events would get uniform arms, because nothing would have been
// learned yet.
//
// A run about a log decides nothing. All batches of such a run have B events, and no batch contains an event that is
// held out for evaluation.
class BatchSchedule {
 public:
  // The order of a resumed run: the first `from` events were learned, and the events after them are decided again.
  // Throws std::invalid_argument if the run has fewer than `from` events.
  explicit BatchSchedule(const BanditParameters& parameters, std::uint64_t from = 0);
  // A schedule of equal batches: `batch` events at a time from the first batch on.
  [[nodiscard]] static BatchSchedule even(std::uint64_t events, std::size_t batch = 1, std::uint64_t from = 0);

  // Whether all events were learned.
  [[nodiscard]] bool done() const { return learned_ == events_; }
  // The next turn. Call next() only while done() is false.
  [[nodiscard]] BatchTurn next();

  // Events of the whole run.
  [[nodiscard]] std::uint64_t events() const { return events_; }
  // Events that were decided, and events that were learned. Both numbers include the events before the start of a
  // resumed run.
  [[nodiscard]] std::uint64_t decided() const { return decided_; }
  [[nodiscard]] std::uint64_t learned() const { return learned_; }

 private:
  BatchSchedule(std::uint64_t events, std::size_t batch, std::uint64_t lag, std::uint64_t from);
  // The size of the batch that begins at event `first`.
  [[nodiscard]] std::size_t size_at(std::uint64_t first) const;

  std::uint64_t events_;
  std::size_t batch_;
  std::uint64_t lag_;
  std::size_t first_size_;
  std::uint64_t decided_;
  std::uint64_t learned_;
  std::deque<EventRange> pending_;  // decided but not learned, the oldest first
};

}  // namespace sotto::apps::bandit
