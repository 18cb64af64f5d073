// The rate of messages that a service (net/star/service.h) can receive on loopback. P2B's shuffler and ROBIN's
// aggregator cannot be faster than such a service. The service runs in one thread, and all clients together run in
// another thread of the same process.
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
  std::size_t bytes = 16'000;  // size of a message's payload
};

struct ServiceSpeed {
  double messages_per_second = 0;  // rate at which the handler receives messages, from all clients together
  double ask_microseconds = 0;     // time of a message and its answer, with one client and no other load
};

// Measures each rate for at least `seconds`. Throws Interrupted.
[[nodiscard]] ServiceSpeed measure_service(const ServiceTrial& trial, double seconds,
                                           const std::atomic<bool>& interrupted);

// A table with one row for each trial: over TLS and over plain TCP, with messages of several sizes, from one client and
// from `clients` clients.
[[nodiscard]] FigureTable service_table(std::size_t clients, double seconds, const std::atomic<bool>& interrupted);

// The rate of reports that P2B's shuffler can receive on loopback. The shuffler's service, durable queue and batches
// are in one process; agents that only report are in other processes. Two parts are measured for comparison: a service
// that receives the same messages and discards them, and the queue without a network.
struct P2bTrial {
  bool encrypted = true;
  std::size_t agents = 2;             // number of agent processes, each with one connection
  std::uint64_t reports = 1'000'000;  // number of reports of all agents together, each of a different user
  std::uint64_t period = 1;           // seconds between the ends of batches
  std::size_t reports_a_message = 512;
};

struct P2bSpeed {
  double reports_per_second = 0;  // rate from the first report sent to the last receipt
  double shuffler_us = 0;         // processor time for each report
  double memory_mb = 0;           // the shuffler's peak memory; 0: not measured
};

// Measures the shuffler. The calling process must have only one thread. Throws Error that names the process that
// failed, and Interrupted.
[[nodiscard]] P2bSpeed measure_shuffler(const P2bTrial& trial, const std::atomic<bool>& interrupted);
// Measures only the queue, in this process.
[[nodiscard]] P2bSpeed measure_queue(const P2bTrial& trial);

// Two tables: "speeds" has TLS, plain TCP and the two parts for comparison; "targets" has the target of 100,000 reports
// a second. The service that discards messages is measured for `floor_seconds`.
[[nodiscard]] std::vector<FigureTable> p2b_tables(const P2bTrial& trial, double floor_seconds,
                                                  const std::atomic<bool>& interrupted);

}  // namespace sotto::apps::lab
