// How many reports P2B's shuffler takes on loopback: its service, its durable queue and its batches in one process,
// agents that do nothing but report in others. Beside it what it stands on: the service that takes the same messages
// and forgets them, and the queue without a network.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "sotto/apps/kit/report/table.h"

namespace sotto::apps {

struct P2bTrial {
  bool encrypted = true;
  std::size_t agents = 2;             // processes, with a connection each
  std::uint64_t reports = 1'000'000;  // of all, each of another user
  std::uint64_t period = 1;           // seconds, of a batch
  std::size_t reports_a_message = 512;
};

struct P2bSpeed {
  double reports_per_second = 0;  // from the first that is sent to the last receipt
  double shuffler_us = 0;         // of processor time, a report
  double memory_mb = 0;           // of the shuffler, at its worst moment; 0: not measured
};

// This process must have one thread. Throws Error that names the process that failed; Interrupted.
[[nodiscard]] P2bSpeed measure_shuffler(const P2bTrial& trial, const std::atomic<bool>& interrupted);
// The queue alone, in this process.
[[nodiscard]] P2bSpeed measure_queue(const P2bTrial& trial);

struct P2bTables {
  FigureTable speeds;   // both links, each with what it stands on
  FigureTable targets;  // 100,000 reports a second
};
// The service that forgets is measured for `floor_seconds`.
[[nodiscard]] P2bTables p2b_tables(const P2bTrial& trial, double floor_seconds, const std::atomic<bool>& interrupted);

}  // namespace sotto::apps
