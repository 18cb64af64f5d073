// A decision service on this machine, whose speed is measured. Every role is its own process, with TLS between roles.
// The stores are in a private folder on the disk of TMPDIR. The actor's interface is on TCP, because load generators
// need it; the other roles listen on Unix sockets.
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
  // Starts all roles and returns once they are ready. Throws InputError if a number of the trial is outside the range
  // of a service, Error if a role ends or is not ready within a minute, and Interrupted.
  LiveRoles(const LiveTrial& trial, const std::atomic<bool>& interrupted);
  // Asks all roles to end, and then kills roles that are still running.
  ~LiveRoles();
  LiveRoles(const LiveRoles&) = delete;
  LiveRoles& operator=(const LiveRoles&) = delete;

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }
  // The names of the roles: "party_0", ..., "dealer", "actor", "rewarder".
  [[nodiscard]] const std::vector<std::string>& roles() const noexcept { return roles_; }
  [[nodiscard]] const ListenAt& interface(const std::string& role) const { return interfaces_.at(role); }
  // A header line with the token of the role's interface; empty if the interface needs none.
  [[nodiscard]] std::string authorization(const std::string& role) const;
  // The number of features of each party.
  [[nodiscard]] const std::vector<std::size_t>& columns() const noexcept { return columns_; }
  // Throws Error that names the role if a role has ended.
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
  std::vector<std::unique_ptr<ChildProcess>> processes_;  // destroyed first: processes use the other members
};

// The callers of a measured service, in addition to its load. One caller pushes the features of events to the parties
// before these events are requested. Another caller posts rewards to the rewarder once the events are decided.
//
// Event number i of a measurement has the id event_id(prefix, i). The load numbers its events from 0, so all callers
// know the ids.

// An event's id: `prefix` (16 hex digits that identify the measurement), followed by i in decimal.
[[nodiscard]] std::string event_id(std::string_view prefix, std::uint64_t i);

// Pushes random features of events 0 to `events` - 1 to all parties at once. Throws Error if a party does not accept
// all of the features.
void push_features(const LiveRoles& roles, std::string_view prefix, std::uint64_t events,
                   const std::atomic<bool>& interrupted);

// As long as a LateRewards object lives, it posts rewards for one in three of the decided events, some time after their
// decisions.
class LateRewards {
 public:
  LateRewards(const LiveRoles& roles, std::string prefix, const std::atomic<bool>& interrupted);
  ~LateRewards();
  LateRewards(const LateRewards&) = delete;
  LateRewards& operator=(const LateRewards&) = delete;

  // Stops posting, and throws the error if posting failed. Returns the number of acknowledged rewards.
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

// The metrics in a role's /metrics: "sotto_batches_total{kind=\"learn\"}" -> 12.
[[nodiscard]] std::map<std::string, double> metrics_of(const LiveRoles& roles, const std::string& role,
                                                       const std::atomic<bool>& interrupted);

// The load of a measured service comes from wrk (Debian's package of that name), a generator of HTTP requests that
// shares no code with the service. A Lua script makes the requests, counts the results in the answers, and writes the
// figures to a file.

struct WrkLoad {
  std::string url;            // address of the service: "http://127.0.0.1:8080"
  std::string authorization;  // a header line; may be empty
  std::string prefix;         // prefix of the event ids
  std::size_t connections = 1;
  std::size_t lines = 0;     // events in a request to /v1/decisions:batch; 0: single decisions
  std::size_t pause_ms = 0;  // average pause of a connection before a request; pauses are random, up to 2 pause_ms
  std::uint64_t seconds = 10;
};

struct WrkFigures {
  double seconds = 0;
  std::uint64_t requests = 0;  // number of answered requests
  std::uint64_t asked = 0;     // number of events in all requests
  std::uint64_t decided = 0;   // number of decided events, according to the answers
  std::uint64_t baselines = 0;
  std::uint64_t errors = 0;  // requests that failed or had a status other than 200
  double p50_ms = 0;         // median time of a request
  double p99_ms = 0;
  double longest_ms = 0;
};

// The path of wrk. If wrk is not in PATH, throws ResourceError that says how to install wrk.
[[nodiscard]] std::filesystem::path find_wrk();

// Runs wrk to its end; `look` is called many times a second. The script and its output are put into `folder`. Throws
// Error if wrk fails, and Interrupted.
[[nodiscard]] WrkFigures run_wrk(const WrkLoad& load, const std::filesystem::path& folder,
                                 const std::function<void()>& look, const std::atomic<bool>& interrupted);

// The Lua script that wrk runs; read_wrk_figures() reads the script's output.
[[nodiscard]] std::string wrk_script(const WrkLoad& load, const std::filesystem::path& figures);
// Throws Error if the text lacks the figures.
[[nodiscard]] WrkFigures read_wrk_figures(const std::string& text);

// The speed of the decision service over HTTP. Every role is a process of this machine, and wrk generates the load.
// Features are pushed before the load begins, rewards are posted late, and the service learns all the time.
//
//     idle      no requests: the processor time of an idle service
//     batches   calls of /v1/decisions:batch as fast as the service answers: decisions a second
//     single    one connection that asks now and then: the time of one decision
//     link      like `single`, with several connections, and with an emulated delay on every link between two roles

// One load, and the service that is started for this load.
struct LiveLoad {
  std::string what;  // "batches"
  LiveTrial service;
  std::size_t connections = 1;  // number of connections; 0: no requests
  std::size_t lines = 0;        // lines in a batch; 0: single decisions
  std::size_t pause_ms = 0;     // average pause of a connection before a request
  std::uint64_t seconds = 10;
  std::uint64_t pushed = 0;  // events whose features are pushed before the load
};

struct LiveFigures {
  LiveLoad load;
  WrkFigures of_wrk;
  std::uint64_t learned = 0;  // events learned during the load
  std::uint64_t rewards = 0;  // number of rewards that were posted and acknowledged
  // For each role, by how much metrics such as "process_cpu_seconds_total" grew during the load.
  std::map<std::string, std::map<std::string, double>> grown{};
  std::map<std::string, double> push_seconds{};  // processor time of each role during the push of features

  [[nodiscard]] double decisions_per_second() const;
  // The growth of a role's metric; 0 if the role has no such metric.
  [[nodiscard]] double grown_by(const std::string& role, const std::string& metric) const;
};

// Four tables: "load" has the decisions and their times, and "targets" compares measured values with the targets.
// "order" has the batches, and how long the batches took at the actor. "roles" has the processor time and syncs of each
// role.
//
// The targets are for 2 parties, 20 features and 10 arms. Batches reach 10,000 decisions a second. A single decision
// takes 2 ms at the median and 15 ms at the 99th percentile. If each link has a delay of 20 ms, the target for the 99th
// percentile is 600 ms.
[[nodiscard]] std::vector<FigureTable> live_tables(const std::vector<LiveFigures>& all);

}  // namespace sotto::apps::lab
