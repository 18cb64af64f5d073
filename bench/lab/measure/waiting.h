// How a process waits for its peers' bytes.
#pragma once

#include <poll.h>
#include <sched.h>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

namespace sotto::apps {

enum class Waiting : std::uint8_t {
  yielding,  // as the links of a run: retry with sched_yield for a while, then poll
  spinning,  // retry, and nothing else
  blocking,  // poll at once
};

// Calls step() until it returns true. Where it did not, needs() fills in what it waits for.
template <class Step, class Needs>
void wait_until(Waiting waiting, std::chrono::microseconds patience, Step step, Needs needs) {
  if (step()) return;
  if (waiting == Waiting::spinning) {
    while (!step()) continue;
    return;
  }
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  std::vector<pollfd> descriptors;
  do {
    if (waiting == Waiting::yielding && Clock::now() - start < patience) {
      sched_yield();
    } else {
      descriptors.clear();
      needs(descriptors);
      if (::poll(descriptors.data(), descriptors.size(), -1) < 0 && errno != EINTR) {
        throw std::runtime_error("the system refuses to poll");
      }
    }
  } while (!step());
}

}  // namespace sotto::apps
