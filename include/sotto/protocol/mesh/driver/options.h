// How a driver runs, and what it counts.
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

// How long a waiting role retries with sched_yield before it polls. Where parties outnumber cores, other parties run
// meanwhile, and a sleeping role would be woken for each of its peers' frames in turn. So with more parties the time is
// longer.
[[nodiscard]] constexpr std::chrono::microseconds spin_time(std::size_t parties) {
  return std::chrono::microseconds(100 * parties);
}

struct DriverOptions {
  // A peer is lost if this role waits for it and it has sent nothing at all for this time. A peer that waits itself
  // says so every two seconds and is not blamed. A peer that computes says nothing. Nor does a peer whose environment
  // is still to pull an arm or to give a reward. The deadline must cover that time.
  std::chrono::milliseconds round_deadline{60'000};
  std::uint32_t epoch = 0;
  // The last party takes all chunks into memory before the run starts. `planned_dealt_bytes`, the planner's figure,
  // headers included, then limits what the dealer may send.
  bool deal_ahead = false;
  std::uint64_t planned_dealt_bytes = 0;
  // Bytes of the largest chunk that the planner foresees, header included. The last party refuses a longer chunk before
  // it reads the chunk.
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
  double seconds_preprocessing = 0;  // part of `seconds`: rounds of that phase of the ledger, without a dealer
  double set_up_seconds = 0;         // before `ready`: with deal_ahead, receiving the chunks

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
