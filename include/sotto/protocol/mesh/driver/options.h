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

// How long a role that waits tries again with sched_yield before it polls. Parties may outnumber cores: then it is the
// others that run meanwhile, and a role that slept would be woken for each of its peers' frames in turn; so the more
// parties, the longer.
[[nodiscard]] constexpr std::chrono::microseconds spin_time(std::size_t parties) {
  return std::chrono::microseconds(100 * parties);
}

struct DriverOptions {
  // A peer that this role waits for and that has sent nothing at all for so long is lost. A peer that waits itself says
  // so every two seconds and is not blamed; one that computes, or whose environment takes its time to pull an arm or to
  // give a reward, says nothing: the deadline must cover that time.
  std::chrono::milliseconds round_deadline{60'000};
  std::uint32_t epoch = 0;
  // The last party takes all chunks into memory before the run starts. `planned_dealt_bytes`, the planner's figure,
  // headers included, is then the cap of what the dealer may send.
  bool deal_ahead = false;
  std::uint64_t planned_dealt_bytes = 0;
  // Bytes of the largest chunk that the planner foresees, header included. The last party refuses a longer one before
  // it reads it.
  std::uint64_t largest_chunk = std::numeric_limits<std::uint64_t>::max();
  const std::atomic<bool>* interrupted = nullptr;
  // Instead of spin_time(). Roles that wait so on fewer cores than there are roles slow down those that they wait for.
  std::optional<std::chrono::microseconds> spin{};
};

struct NodeStatistics {
  std::uint64_t rounds = 0;
  std::array<std::uint64_t, max_nodes> bytes_sent{};  // by peer: headers and payload of rounds
  std::uint64_t frames_sent = 0;                      // of rounds
  std::uint64_t dealt_bytes = 0;                      // that came from the dealer, headers included
  double seconds = 0;                                 // from `ready` to the end of the program
  double seconds_waiting_for_dealer = 0;              // part of it
  double seconds_waiting_for_peers = 0;               // part of it
  double seconds_preprocessing = 0;  // part of it: rounds of that phase of the ledger, without a dealer
  double set_up_seconds = 0;         // before `ready`: with deal_ahead, receiving the chunks

  [[nodiscard]] std::uint64_t total_bytes_sent() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t bytes : bytes_sent) sum += bytes;
    return sum;
  }
};

struct DealerStatistics {
  std::uint64_t rounds = 0;
  std::uint64_t dealt_bytes = 0;  // headers included
  double cpu_seconds = 0;         // of this thread, dealing and sending
  double seconds = 0;             // wall time of dealing
};

}  // namespace sotto::net
