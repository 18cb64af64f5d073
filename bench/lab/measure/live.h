// A decision service on this machine, to be measured: every role a process of its own, TLS between them, stores in a
// private folder, whose disk is that of TMPDIR. The actor's interface is on TCP, as load generators speak it; the other
// roles listen on Unix sockets.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "apps/kit/files/output_file.h"
#include "apps/kit/http/listen.h"
#include "apps/kit/process/process_group.h"
#include "apps/kit/report/table.h"
#include "apps/live/config/live_config.h"
#include "core/system/descriptor.h"
#include "sotto/protocol/transport/emulate/conditions.h"

namespace sotto::apps::lab {

struct LiveTrial {
  std::size_t parties = 2;
  std::size_t features = 20;
  std::size_t arms = 10;
  std::vector<std::uint32_t> batch_sizes{1, 16, 64, 256};
  std::uint64_t reward_wait = 2000;        // ms
  std::uint64_t decision_deadline = 1000;  // ms
  net::LinkConditions link;
};

class LiveRoles {
 public:
  // Returns once all are ready. Throws InputError where the trial leaves the ranges of a service, Error where a role
  // ends or is not ready within a minute, Interrupted.
  LiveRoles(const LiveTrial& trial, const std::atomic<bool>& interrupted);
  // Ends all: asked first, then by force.
  ~LiveRoles();
  LiveRoles(const LiveRoles&) = delete;
  LiveRoles& operator=(const LiveRoles&) = delete;

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }
  // "party_0", ..., "dealer", "actor", "rewarder".
  [[nodiscard]] const std::vector<std::string>& roles() const noexcept { return roles_; }
  [[nodiscard]] const ListenAt& interface(const std::string& role) const { return interfaces_.at(role); }
  // A line of a request's header at this role, or nothing: the token of its interface.
  [[nodiscard]] std::string authorization(const std::string& role) const;
  // Features of each party.
  [[nodiscard]] const std::vector<std::size_t>& columns() const noexcept { return columns_; }
  // Throws Error, naming the role, where one has ended.
  void check();

 private:
  [[nodiscard]] live::LiveConfig base_config(const LiveTrial& trial);
  void start(live::LiveConfig config);
  void wait_until_ready(const std::atomic<bool>& interrupted);

  PrivateFolder folder_;
  std::vector<std::size_t> columns_;
  std::vector<std::string> roles_;
  std::map<std::string, ListenAt> interfaces_;
  std::map<std::string, Descriptor> ports_;
  std::string token_;
  std::vector<std::unique_ptr<ChildProcess>> processes_;  // ended before what they use
};

// The callers of a measured service beside its load: a party's side that pushes features before their events are asked,
// and a rewarder's side that posts rewards once they are decided.
//
// Event number i of a measurement has the id event_id(prefix, i): whoever drives the service counts from 0, so that all
// sides know the ids.

// 16 hex digits that tell measurements apart, then i in decimal.
[[nodiscard]] std::string event_id(std::string_view prefix, std::uint64_t i);

// Pushes features of events 0 to `events` - 1, which are random, to all parties at once. Throws Error where a party
// does not take them.
void push_features(const LiveRoles& roles, std::string_view prefix, std::uint64_t events,
                   const std::atomic<bool>& interrupted);

// Posts rewards of what is decided, some time later, as long as it lives: one event in three is rewarded.
class LateRewards {
 public:
  LateRewards(const LiveRoles& roles, std::string prefix, const std::atomic<bool>& interrupted);
  ~LateRewards();
  LateRewards(const LateRewards&) = delete;
  LateRewards& operator=(const LateRewards&) = delete;

  // Ends it; throws what went wrong. How many rewards were acknowledged.
  std::uint64_t stop();

 private:
  void run(const LiveRoles& roles);

  std::string prefix_;
  const std::atomic<bool>& interrupted_;
  std::atomic<bool> stopped_{false};
  std::uint64_t posted_ = 0;
  std::exception_ptr failed_;
  std::thread thread_;
};

// What a role's /metrics says: "sotto_batches_total{kind=\"learn\"}" -> 12.
[[nodiscard]] std::map<std::string, double> metrics_of(const LiveRoles& roles, const std::string& role,
                                                       const std::atomic<bool>& interrupted);

// wrk (Debian's package of that name) as the load of a measured service: a generator of HTTP requests that shares no
// code with it. A script in Lua makes the requests, counts what the answers say, and writes the figures down.

struct WrkLoad {
  std::string url;            // of the service: "http://127.0.0.1:8080"
  std::string authorization;  // a header line, or nothing
  std::string prefix;         // of the ids of events
  std::size_t connections = 1;
  std::size_t lines = 0;     // events of a request to /v1/decisions:batch; 0: single decisions
  std::size_t pause_ms = 0;  // a connection waits up to twice as long before a request, at random
  std::uint64_t seconds = 10;
};

struct WrkFigures {
  double seconds = 0;
  std::uint64_t requests = 0;  // that were answered
  std::uint64_t asked = 0;     // events of requests that were made
  std::uint64_t decided = 0;   // events by what their answers say
  std::uint64_t baselines = 0;
  std::uint64_t errors = 0;  // requests that failed or had another status than 200
  double p50_ms = 0;         // of a request
  double p99_ms = 0;
  double longest_ms = 0;
};

// Where wrk is. Throws ResourceError, with how to install it, where it is not in PATH.
[[nodiscard]] std::filesystem::path find_wrk();

// Runs it to its end; `look` is called many times a second. The script and what it writes are put into `folder`. Throws
// Error where it fails, Interrupted.
[[nodiscard]] WrkFigures run_wrk(const WrkLoad& load, const std::filesystem::path& folder,
                                 const std::function<void()>& look, const std::atomic<bool>& interrupted);

// The script, and what the figures that it writes mean.
[[nodiscard]] std::string wrk_script(const WrkLoad& load, const std::filesystem::path& figures);
// Throws Error where the text has not the figures.
[[nodiscard]] WrkFigures read_wrk_figures(const std::string& text);

// How fast the decision service is over HTTP: every role a process of this machine, wrk as the load, features pushed
// before the load begins, rewards posted late, learning all along.
//
//     idle      nobody asks: what an idle service takes of the processor
//     batches   /v1/decisions:batch as fast as it answers: decisions a second
//     single    one connection that asks now and then: the time of one decision
//     link      the same of several connections, with an emulated delay on every link between two roles

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

// The tables load (decisions and their times), targets, order (what the order did, and how long its batches took at the
// actor) and roles (processor time of each role, and its syncs).
//
// Targets, of 2 parties, 20 features and 10 arms: 10,000 decisions a second in batches; 2 ms at the median of a single
// one and 15 ms at its 99th percentile; 600 ms there where links take 20 ms.
[[nodiscard]] std::vector<FigureTable> live_tables(const std::vector<LiveFigures>& all);

}  // namespace sotto::apps::lab
