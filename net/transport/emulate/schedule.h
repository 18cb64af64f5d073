// When the bytes of one direction of an emulated link arrive: pure arithmetic on the times that it is given.
//
// A write starts when the bytes before it are serialized, takes bytes / rate, and arrives after the delay and its own
// jitter, but not before what was written before it. The sender may run ahead of the rate by one socket buffer
// (send_buffer bytes); more than that has to wait.
#pragma once

#include <cstddef>
#include <random>

#include "sotto/net/transport/emulate/conditions.h"
#include "sotto/net/transport/stream.h"

namespace sotto::net {

// What a sender may have written that is not serialized yet.
inline constexpr std::size_t send_buffer = 256 * 1024;

class SendSchedule {
 public:
  // Links of one seed have the same jitter.
  SendSchedule(const LinkConditions& conditions, std::uint64_t seed);

  // From this time on the link takes another write; it may be in the past.
  [[nodiscard]] Clock::time_point open_at() const { return free_at_ - buffered_; }
  // The link takes these bytes now; returns when the last of them arrives.
  [[nodiscard]] Clock::time_point send(std::size_t bytes, Clock::time_point now);

  // When a connection that is made now is cut; Clock::time_point::max() if never.
  [[nodiscard]] Clock::time_point cut_time(Clock::time_point made);

 private:
  [[nodiscard]] double uniform();  // in [0, 1)

  LinkConditions conditions_;
  std::chrono::nanoseconds buffered_;  // what serializing a whole send buffer takes
  std::mt19937_64 random_;
  Clock::time_point free_at_{};  // the epoch of the clock is long ago
  Clock::time_point last_arrival_{};
};

}  // namespace sotto::net
