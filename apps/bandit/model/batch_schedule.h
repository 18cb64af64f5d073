// The order in which a run decides and learns its events. A run of single steps has batches of one event.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "apps/bandit/model/parameters.h"

namespace sotto::apps::bandit {

struct EventRange {
  std::uint64_t first;
  std::size_t count;
  friend bool operator==(const EventRange&, const EventRange&) = default;
};

struct BatchTurn {
  bool learns;
  EventRange events;
  friend bool operator==(const BatchTurn&, const BatchTurn&) = default;
};

// The order of a run over T events. The reward of an event arrives after `lag` more events have been decided. A batch
// is learned as soon as its rewards have arrived.
//
// If B + lag > 40 A for a run with A arms, the first batches are small. The first size is the largest power of two that
// is at most 8 A. The size doubles, up to B, as soon as the doubled size is at most half of the number of earlier
// events. If the first batches were large, the model would choose many arms at random before it has learned anything.
//
// A run that learns from a log decides nothing, and each of its batches has B events except the last. No batch contains
// an event that is held out for evaluation.
class BatchSchedule {
 public:
  // A resumed run has already learned the first `from` events. The constructor throws std::invalid_argument if the run
  // has fewer than `from` events.
  explicit BatchSchedule(const BanditParameters& parameters, std::uint64_t from = 0);
  [[nodiscard]] static BatchSchedule even(std::uint64_t events, std::size_t batch = 1, std::uint64_t from = 0);

  [[nodiscard]] bool done() const { return learned_ == events_; }
  [[nodiscard]] BatchTurn next();

  [[nodiscard]] std::uint64_t events() const { return events_; }
  [[nodiscard]] std::uint64_t decided() const { return decided_; }
  [[nodiscard]] std::uint64_t learned() const { return learned_; }

 private:
  BatchSchedule(std::uint64_t events, std::size_t batch, std::uint64_t lag, std::uint64_t from);
  [[nodiscard]] std::size_t size_at(std::uint64_t first) const;

  std::uint64_t events_;
  std::size_t batch_;
  std::uint64_t lag_;
  std::size_t first_size_;
  std::uint64_t decided_;
  std::uint64_t learned_;
  std::deque<EventRange> pending_;  // batches that are decided but not learned, oldest first
};

}  // namespace sotto::apps::bandit
