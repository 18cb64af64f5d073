// The options of a driver, and the statistics that a driver counts.
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
// parties. If there are more parties than cores, other parties run while a role retries, and a sleeping role would be
// woken for the frame of each peer in turn.
[[nodiscard]] constexpr std::chrono::microseconds spin_time(std::size_t parties) {
  return std::chrono::microseconds(100 * parties);
}

struct DriverOptions {
  // A peer counts as lost if this role waits for the peer, and the peer has sent nothing at all for this time. A peer
  // that itself waits says so every two seconds and is not blamed. A peer that computes sends nothing. A peer whose
  // environment has yet to pull an arm or to give a reward also sends nothing. The deadline must be longer than these
  // times.
  std::chrono::milliseconds round_deadline{60'000};
  std::uint32_t epoch = 0;
  // If true, the last party takes all chunks into memory before the run starts. With deal_ahead, `planned_dealt_bytes`
  // limits what the dealer may send. `planned_dealt_bytes` is the number of bytes in the plan, headers included.
  bool deal_ahead = false;
  std::uint64_t planned_dealt_bytes = 0;
  // The number of bytes of the largest planned chunk, header included. The last party refuses a longer chunk before it
  // reads the chunk.
  std::uint64_t largest_chunk = std::numeric_limits<std::uint64_t>::max();
  const std::atomic<bool>* interrupted = nullptr;
  // Replaces spin_time(). If there are fewer cores than roles, roles that spin slow down the roles that they wait for.
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
  double seconds_preprocessing = 0;  // part of `seconds`: without a dealer, the rounds of the phase "preprocessing"
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
