// How soon a client whose event found the queue full may ask again: the time for the queue at the rate of the answers
// of late.
#pragma once

#include <cstdint>
#include <optional>

#include "sotto/protocol/transport/stream.h"

namespace sotto::apps::live {

class QueueRate {
 public:
  static constexpr unsigned longest = 60;  // s

  // Whether a reading is due: once a second is often enough.
  [[nodiscard]] bool is_due(net::Clock::time_point now) const;
  // `answered`: events that were, since the process began; `queue`: that wait now.
  void read(net::Clock::time_point now, std::uint64_t answered, std::uint64_t queue);
  // 1 to longest.
  [[nodiscard]] unsigned seconds() const noexcept { return seconds_; }

 private:
  struct Reading {
    net::Clock::time_point at;
    std::uint64_t answered;
  };
  std::optional<Reading> last_;
  unsigned seconds_ = 1;
};

}  // namespace sotto::apps::live
