// The rate of messages that a service (net/star/service.h) receives on loopback. All clients run in another thread of
// the same process.
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
  std::size_t bytes = 16'000;  // of the payload
};

struct ServiceSpeed {
  double messages_per_second = 0;
  double ask_microseconds = 0;
};

[[nodiscard]] ServiceSpeed measure_service(const ServiceTrial& trial, double seconds,
                                           const std::atomic<bool>& interrupted);

[[nodiscard]] FigureTable service_table(std::size_t clients, double seconds, const std::atomic<bool>& interrupted);

// The rate of reports that P2B's shuffler receives on loopback. The agents run in other processes and do nothing but
// send reports.
struct P2bTrial {
  bool encrypted = true;
  std::size_t agents = 2;
  std::uint64_t reports = 1'000'000;  // of all agents together, each of a different user
  std::uint64_t period = 1;
  std::size_t reports_a_message = 512;
};

struct P2bSpeed {
  double reports_per_second = 0;  // from the first report sent to the last receipt
  double shuffler_us = 0;
  double memory_mb = 0;  // peak; 0: not measured
};

// The calling process must have only one thread.
[[nodiscard]] P2bSpeed measure_shuffler(const P2bTrial& trial, const std::atomic<bool>& interrupted);
[[nodiscard]] P2bSpeed measure_queue(const P2bTrial& trial);

[[nodiscard]] std::vector<FigureTable> p2b_tables(const P2bTrial& trial, double floor_seconds,
                                                  const std::atomic<bool>& interrupted);

}  // namespace sotto::apps::lab
