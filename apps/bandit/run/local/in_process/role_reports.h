// The reports that the roles of a run in this process would write if they were processes.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <vector>

#include "apps/bandit/model/learned_model.h"
#include "apps/bandit/run/result/role_report.h"
#include "apps/bandit/run/settings/settings.h"
#include "sotto/protocol/party/ledger.h"
#include "sotto/protocol/simulate/simulate.h"

namespace sotto::apps::bandit::run {

// The seconds that each role has computed. The key is the node number; for the dealer, which has none, the key is
// empty.
class RoleClock {
 public:
  void turn(std::optional<NodeId> role, bool begins) {
    const std::chrono::steady_clock::time_point now = std::chrono::steady_clock::now();
    if (!begins) seconds_[role] += std::chrono::duration<double>(now - begin_).count();
    begin_ = now;
  }
  [[nodiscard]] double of(std::optional<NodeId> role) const {
    const auto found = seconds_.find(role);
    return found == seconds_.end() ? 0 : found->second;
  }

 private:
  std::chrono::steady_clock::time_point begin_;
  std::map<std::optional<NodeId>, double> seconds_;
};

using PlayedBandit = protocols::Simulation<BanditModel>;

// One report for each of settings.roles(), in their order, without rewards. `seconds` is the time of the whole run.
[[nodiscard]] std::vector<RoleReport> reports_of(const BanditSettings& settings, const Ledger& planned,
                                                 const PlayedBandit& played, const RoleClock& clock, double seconds);

}  // namespace sotto::apps::bandit::run
