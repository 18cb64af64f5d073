// The callers of a measured service beside its load: a party's side that pushes features before their events are asked,
// and a rewarder's side that posts rewards once they are decided.
//
// Event number i of a measurement has the id event_id(prefix, i): whoever drives the service counts from 0, so that all
// sides know the ids.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "apps/kit/http/client.h"
#include "sotto/protocol/transport/io.h"

namespace sotto::apps::lab {

class LiveRoles;

// 16 hex digits that tell measurements apart, then i in decimal.
[[nodiscard]] std::string event_id(std::string_view prefix, std::uint64_t i);

// Calls a role, one call at a time.
class LiveClient {
 public:
  LiveClient(const LiveRoles& roles, const std::string& role, const std::atomic<bool>& interrupted);
  // Throws Interrupted.
  [[nodiscard]] HttpResult call(const std::string& method, const std::string& path, const std::string& type = "",
                                std::string body = "");

 private:
  net::Io io_;
  HttpClient client_;
  std::string authorization_;
  const std::atomic<bool>& interrupted_;
};

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

}  // namespace sotto::apps::lab
