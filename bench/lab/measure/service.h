// How fast a service takes messages on loopback (net/star/service.h): what the shuffler of P2B and the aggregator of
// ROBIN have as their floor. The service is one thread, all its clients together another; both are of one process.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "apps/kit/report/table.h"

namespace sotto::apps::lab {

struct ServiceTrial {
  bool encrypted = true;
  std::size_t clients = 1;
  std::size_t bytes = 16'000;  // of payload of a message
};

struct ServiceSpeed {
  double messages_per_second = 0;  // handed to the handler, all clients together
  double ask_microseconds = 0;     // a message and its answer, one client, nothing else going on
};

// Measures each for at least so long. Throws Interrupted.
[[nodiscard]] ServiceSpeed measure_service(const ServiceTrial& trial, double seconds,
                                           const std::atomic<bool>& interrupted);

// One row a trial: over TLS and over plain TCP, messages of several sizes, of one client and of `clients`.
[[nodiscard]] FigureTable service_table(std::size_t clients, double seconds, const std::atomic<bool>& interrupted);

// How many reports P2B's shuffler takes on loopback: its service, its durable queue and its batches in one process,
// agents that do nothing but report in others. Beside it what it stands on: the service that takes the same messages
// and forgets them, and the queue without a network.
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

// The tables speeds, of both links, each with what it stands on, and targets: 100,000 reports a second. The service
// that forgets is measured for `floor_seconds`.
[[nodiscard]] std::vector<FigureTable> p2b_tables(const P2bTrial& trial, double floor_seconds,
                                                  const std::atomic<bool>& interrupted);

}  // namespace sotto::apps::lab
