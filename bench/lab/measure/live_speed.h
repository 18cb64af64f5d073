// How fast the decision service is over HTTP: every role a process of this machine (live_roles.h), wrk as the load
// (wrk.h), features pushed before the load begins, rewards posted late, learning all along.
//
//     idle      nobody asks: what an idle service takes of the processor
//     batches   /v1/decisions:batch as fast as it answers: decisions a second
//     single    one connection that asks now and then: the time of one decision
//     link      the same of several connections, with an emulated delay on every link between two roles
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "apps/kit/report/table.h"
#include "bench/lab/measure/live_roles.h"
#include "bench/lab/measure/wrk.h"

namespace sotto::apps::lab {

// One load on a service that is made for it.
struct LiveLoad {
  std::string what;  // "batches"
  LiveTrial service;
  std::size_t connections = 1;  // 0: nobody asks
  std::size_t lines = 0;        // of a batch; 0: single decisions
  std::size_t pause_ms = 0;     // on the average, before each request
  std::uint64_t seconds = 10;
  std::uint64_t pushed = 0;  // events whose features are pushed before
};

struct LiveFigures {
  LiveLoad load;
  WrkFigures of_wrk;
  std::uint64_t learned = 0;  // events, while the load ran
  std::uint64_t rewards = 0;  // that were posted and acknowledged
  // What each role's metrics grew by, "process_cpu_seconds_total" and the like.
  std::map<std::string, std::map<std::string, double>> grown{};
  std::map<std::string, double> push_seconds{};  // processor time of each role while features were pushed

  [[nodiscard]] double decisions_per_second() const;
  // 0 where the role has no such metric.
  [[nodiscard]] double grown_by(const std::string& role, const std::string& metric) const;
};

// Errors as of LiveRoles, push_features() and run_wrk().
[[nodiscard]] LiveFigures measure_live(const LiveLoad& load, const std::atomic<bool>& interrupted);

// Decisions and their times.
[[nodiscard]] FigureTable live_load_table(const std::vector<LiveFigures>& all);
// What the order did, and how long its batches took at the actor.
[[nodiscard]] FigureTable live_order_table(const std::vector<LiveFigures>& all);
// Processor time of each role, and its syncs.
[[nodiscard]] FigureTable live_role_table(const std::vector<LiveFigures>& all);
// Of 2 parties, 20 features and 10 arms: 10,000 decisions a second in batches; 2 ms at the median of a single one and
// 15 ms at its 99th percentile; 600 ms there where links take 20 ms.
[[nodiscard]] FigureTable live_target_table(const std::vector<LiveFigures>& all);

}  // namespace sotto::apps::lab
