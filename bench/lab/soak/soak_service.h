// All roles of a decision service, as processes that can be killed and started again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "apps/bandit/model/batch/batch_plan.h"
#include "apps/kit/files/output_file.h"
#include "apps/kit/http/listen.h"
#include "apps/kit/process/process_group.h"
#include "apps/live/config/live_config.h"
#include "apps/live/engine/live_programs.h"

namespace sotto::apps::lab {

struct SoakServiceSettings {
  std::size_t parties = 2;
  std::size_t arms = 4;
  std::uint64_t most_learned = 1;
};

inline constexpr std::uint64_t soak_reward_wait = 5'000;  // ms

class SoakService {
 public:
  explicit SoakService(const SoakServiceSettings& settings);
  ~SoakService();
  SoakService(const SoakService&) = delete;
  SoakService& operator=(const SoakService&) = delete;

  // "party_0", ..., "actor", "rewarder", "dealer".
  [[nodiscard]] const std::vector<std::string>& roles() const noexcept { return roles_; }
  [[nodiscard]] ListenAt address(const std::string& role) const;
  [[nodiscard]] const bandit::BatchPlan& plan() const noexcept { return *plan_; }
  [[nodiscard]] bool runs(const std::string& role) const { return processes_.contains(role); }

  void start(const std::string& role);
  // The role is gone when kill() returns.
  void kill(const std::string& role);
  // Throws Error if a role has ended by itself.
  void look();
  // Throws Error if a role fails, or has not ended within a minute.
  void end();
  // The sum of the parties' shares of the newest model. May be called only after end(). Throws Error if a party has no
  // model.
  [[nodiscard]] bandit::ModelWords model() const;

 private:
  PrivateFolder folder_;
  std::vector<std::string> roles_;
  std::map<std::string, live::LiveConfig> configs_;
  std::unique_ptr<const bandit::BatchPlan> plan_;
  std::map<std::string, std::unique_ptr<ChildProcess>> processes_;
};

}  // namespace sotto::apps::lab
