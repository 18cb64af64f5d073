// How fast a service takes messages on loopback (net/star/service.h): what the shuffler of P2B and the aggregator of
// ROBIN have as their floor. The service is one thread, all its clients together another; both are of one process.
#pragma once

#include <atomic>
#include <cstddef>

#include "sotto/apps/kit/report/table.h"

namespace sotto::apps {

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

}  // namespace sotto::apps
