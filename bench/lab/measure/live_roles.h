// A decision service on this machine, to be measured: every role a process of its own, TLS between them, stores in a
// private folder, whose disk is that of TMPDIR. The actor's interface is on TCP, as load generators speak it; the other
// roles listen on Unix sockets.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "apps/kit/files/output_file.h"
#include "apps/kit/http/listen.h"
#include "apps/kit/process/process_group.h"
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

}  // namespace sotto::apps::lab
