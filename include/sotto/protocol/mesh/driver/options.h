// The options of a driver, and the statistics that a driver collects.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include "sotto/protocol/party/topology.h"

namespace sotto::net {

// The time for which a waiting role retries with sched_yield before it polls. The time grows with the number of
// parties. While a role retries, other parties can use its core, which matters if there are more parties than cores. A
// role that slept instead would be woken once for each peer's frame.
[[nodiscard]] constexpr std::chrono::microseconds spin_time(std::size_t parties) {
  return std::chrono::microseconds(100 * parties);
}

struct DriverOptions {
  // A peer is treated as lost if this role waits for the peer, and the peer has sent nothing at all for the time
  // `round_deadline`. A peer that itself waits says so every two seconds and is not blamed. A peer that computes sends
  // nothing. A peer whose environment has yet to pull an arm or to give a reward also sends nothing. The deadline must
  // be longer than a peer ever computes, or waits for its environment.
  std::chrono::milliseconds round_deadline{60'000};
  std::uint32_t epoch = 0;
  // If true, the last party reads all chunks into memory before the run starts. With deal_ahead, `planned_dealt_bytes`
  // limits what the dealer may send. `planned_dealt_bytes` is the number of bytes in the plan, headers included.
  bool deal_ahead = false;
  std::uint64_t planned_dealt_bytes = 0;
  // The number of bytes of the largest planned chunk, header included. The last party refuses a longer chunk before it
  // reads the chunk.
  std::uint64_t largest_chunk = std::numeric_limits<std::uint64_t>::max();
  const std::atomic<bool>* interrupted = nullptr;
  // Replaces spin_time(). If there are fewer cores than roles, a role that spins slows down the role that it waits for.
  std::optional<std::chrono::microseconds> spin{};
};

struct NodeStatistics {
  std::uint64_t rounds = 0;
  std::array<std::uint64_t, max_nodes> bytes_sent{};  // bytes sent to each peer: headers and payload of rounds
  std::uint64_t frames_sent = 0;                      // frames of rounds
  std::uint64_t dealt_bytes = 0;                      // bytes from the dealer, headers included
  double seconds = 0;                                 // time from `ready` to the end of the program
  double seconds_waiting_for_dealer = 0;              // part of `seconds`
  double seconds_waiting_for_peers = 0;               // part of `seconds`
  double seconds_preprocessing = 0;  // part of `seconds`, in the rounds of the phase "preprocessing"; 0 with a dealer
  double set_up_seconds = 0;         // time before `ready`; with deal_ahead, this includes receiving the chunks

  [[nodiscard]] std::uint64_t total_bytes_sent() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t bytes : bytes_sent) sum += bytes;
    return sum;
  }
};

struct DealerStatistics {
  std::uint64_t rounds = 0;
  std::uint64_t dealt_bytes = 0;  // bytes dealt, headers included
  double cpu_seconds = 0;         // CPU time of this thread for dealing and sending
  double seconds = 0;             // wall time of dealing
};

}  // namespace sotto::net
