// Options and statistics of drivers.
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

// The time for which a waiting role retries with sched_yield before it polls.
[[nodiscard]] constexpr std::chrono::microseconds spin_time(std::size_t parties) {
  return std::chrono::microseconds(100 * parties);
}

struct DriverOptions {
  // A peer counts as lost if this role waits for the peer, and the peer sends nothing for this time. A peer sends
  // nothing while it computes or waits for its environment, so the deadline must be longer than any such pause.
  std::chrono::milliseconds round_deadline{60'000};
  std::uint32_t epoch = 0;
  // If true, the last party reads all chunks, at most `planned_dealt_bytes` with headers, into memory before the run.
  bool deal_ahead = false;
  std::uint64_t planned_dealt_bytes = 0;
  // The bytes of the largest planned chunk, header included; the last party refuses a longer chunk unread.
  std::uint64_t largest_chunk = std::numeric_limits<std::uint64_t>::max();
  const std::atomic<bool>* interrupted = nullptr;
  // Replaces spin_time(). With fewer cores than roles, a role that spins slows down the role that it waits for.
  std::optional<std::chrono::microseconds> spin{};
};

struct NodeStatistics {
  std::uint64_t rounds = 0;
  std::array<std::uint64_t, max_nodes> bytes_sent{};  // by peer: headers and payload of rounds
  std::uint64_t frames_sent = 0;
  std::uint64_t dealt_bytes = 0;  // headers included
  double seconds = 0;             // seconds from `ready` to the end of the program
  double seconds_waiting_for_dealer = 0;
  double seconds_waiting_for_peers = 0;
  double seconds_preprocessing = 0;  // the part of `seconds` in the phase "preprocessing"; 0 with a dealer
  double set_up_seconds = 0;         // time before `ready`; includes the time to read the chunks of deal_ahead

  [[nodiscard]] std::uint64_t total_bytes_sent() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t bytes : bytes_sent) sum += bytes;
    return sum;
  }
};

struct DealerStatistics {
  std::uint64_t rounds = 0;
  std::uint64_t dealt_bytes = 0;  // headers included
  double cpu_seconds = 0;
  double seconds = 0;
};

}  // namespace sotto::net
