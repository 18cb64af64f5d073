// A decision service on this machine, whose speed is measured. Every role is a process, with TLS between roles.
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
  // Returns when all roles are ready.
  LiveRoles(const LiveTrial& trial, const std::atomic<bool>& interrupted);
  ~LiveRoles();
  LiveRoles(const LiveRoles&) = delete;
  LiveRoles& operator=(const LiveRoles&) = delete;

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }
  // "party_0", ..., "dealer", "actor", "rewarder".
  [[nodiscard]] const std::vector<std::string>& roles() const noexcept { return roles_; }
  [[nodiscard]] const ListenAt& interface(const std::string& role) const { return interfaces_.at(role); }
  [[nodiscard]] std::string authorization(const std::string& role) const;
  [[nodiscard]] const std::vector<std::size_t>& columns() const noexcept { return columns_; }
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
  std::vector<std::unique_ptr<ChildProcess>> processes_;  // destroyed first, because processes use the other members
};

// The id of event i: `prefix` (16 hex digits), followed by i in decimal. The load numbers its events from 0, so all
// callers know the ids.
[[nodiscard]] std::string event_id(std::string_view prefix, std::uint64_t i);

void push_features(const LiveRoles& roles, std::string_view prefix, std::uint64_t events,
                   const std::atomic<bool>& interrupted);

// Posts rewards for one in three of the decided events, some time after their decisions.
class LateRewards {
 public:
  LateRewards(const LiveRoles& roles, std::string prefix, const std::atomic<bool>& interrupted);
  ~LateRewards();
  LateRewards(const LateRewards&) = delete;
  LateRewards& operator=(const LateRewards&) = delete;

  // Returns the number of acknowledged rewards, or throws the error of posting.
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

[[nodiscard]] std::map<std::string, double> metrics_of(const LiveRoles& roles, const std::string& role,
                                                       const std::atomic<bool>& interrupted);

// The load of a measured service comes from wrk, an HTTP load generator that shares no code with the service.
struct WrkLoad {
  std::string url;  // "http://127.0.0.1:8080"
  std::string authorization;
  std::string prefix;  // of the event ids
  std::size_t connections = 1;
  std::size_t lines = 0;     // events in a request to /v1/decisions:batch; 0: single decisions
  std::size_t pause_ms = 0;  // average pause of a connection before a request; random, up to 2 pause_ms
  std::uint64_t seconds = 10;
};

struct WrkFigures {
  double seconds = 0;
  std::uint64_t requests = 0;  // answered
  std::uint64_t asked = 0;
  std::uint64_t decided = 0;
  std::uint64_t baselines = 0;
  std::uint64_t errors = 0;  // requests that failed or had a status other than 200
  double p50_ms = 0;
  double p99_ms = 0;
  double longest_ms = 0;
};

// Throws ResourceError if wrk is not in PATH.
[[nodiscard]] std::filesystem::path find_wrk();

[[nodiscard]] WrkFigures run_wrk(const WrkLoad& load, const std::filesystem::path& folder,
                                 const std::function<void()>& look, const std::atomic<bool>& interrupted);

[[nodiscard]] std::string wrk_script(const WrkLoad& load, const std::filesystem::path& figures);
[[nodiscard]] WrkFigures read_wrk_figures(const std::string& text);

// The speed of the decision service over HTTP. Features are pushed before the load, rewards are posted late, and the
// service learns all the time. The kinds of load, and what each kind measures:
//     idle      no requests: the processor time of an idle service
//     batches   calls of /v1/decisions:batch as fast as the service answers: decisions a second
//     single    one connection that asks now and then: the time of one decision
//     link      like `single`, with several connections, and with an emulated delay on every link between two roles

struct LiveLoad {
  std::string what;  // "batches"
  LiveTrial service;
  std::size_t connections = 1;  // 0: no requests
  std::size_t lines = 0;        // 0: single decisions
  std::size_t pause_ms = 0;     // average, before a request
  std::uint64_t seconds = 10;
  std::uint64_t pushed = 0;
};

struct LiveFigures {
  LiveLoad load;
  WrkFigures of_wrk;
  std::uint64_t learned = 0;
  std::uint64_t rewards = 0;  // acknowledged
  // For each role, by how much metrics such as "process_cpu_seconds_total" grew during the load.
  std::map<std::string, std::map<std::string, double>> grown{};
  std::map<std::string, double> push_seconds{};

  [[nodiscard]] double decisions_per_second() const;
  [[nodiscard]] double grown_by(const std::string& role, const std::string& metric) const;
};

[[nodiscard]] std::vector<FigureTable> live_tables(const std::vector<LiveFigures>& all);

}  // namespace sotto::apps::lab
