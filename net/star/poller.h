// Which of many descriptors can go on, by epoll: a turn of the loop costs what has happened, not how
// many are connected.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

#include "sotto/net/transport/stream.h"

namespace sotto::net {

class Poller {
 public:
  // What is watched of one descriptor now; its owner keeps it.
  struct Watch {
    int descriptor = -1;
    bool reading = false;
    bool writing = false;
  };

  // Throws ResourceError if the system has no descriptors left.
  Poller();
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;
  ~Poller();

  // Watches for what `wanted` says from now on, under `key`, and notes it in `now`.
  void watch(std::uint64_t key, const Waitable& wanted, Watch& now);
  // To be called before the descriptor is closed.
  void forget(Watch& now) noexcept;
  // Waits until something can go on, one of `others` can, or so long; the keys of what can.
  [[nodiscard]] std::span<const std::uint64_t> wait(std::span<const Waitable> others,
                                                    std::chrono::nanoseconds at_most);

 private:
  int epoll_;
  std::vector<Waitable> waitables_;
  std::vector<std::uint64_t> ready_;
};

}  // namespace sotto::net
