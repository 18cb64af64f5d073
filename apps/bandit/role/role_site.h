// What a role brings to a run: its files, read before anything is connected, and the site that the program asks.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sotto/apps/bandit/delay.h"
#include "sotto/apps/bandit/log/event_log.h"
#include "sotto/apps/bandit/log/log_site.h"
#include "sotto/apps/bandit/role/earlier_model.h"
#include "sotto/apps/bandit/role_report.h"
#include "sotto/apps/bandit/settings.h"
#include "sotto/apps/bandit/site.h"
#include "sotto/apps/kit/data/contexts.h"
#include "sotto/apps/kit/data/environment.h"
#include "sotto/apps/kit/deploy/announcement.h"

namespace sotto::apps {

// The delay of a role's answers, `delay` in [role], put around its site (apps/bandit/delay.h).
// None where the config has none. Throws InputError if the text is no delay, the role is neither actor nor rewarder, or
// the delay may take longer than the role's round deadline.
[[nodiscard]] AnswerDelay role_delay(const BanditSettings& config);

// `site` itself where the config has no delay. Coins are from the operating system, or repeatable with insecure_seed.
// `interrupted` must outlive the site.
[[nodiscard]] std::unique_ptr<BanditSite> with_delay(std::unique_ptr<BanditSite> site, const BanditSettings& config,
                                                     const std::atomic<bool>& interrupted);

class RoleSite {
 public:
  // Reads the role's files. Throws InputError.
  explicit RoleSite(const BanditSettings& config);

  // What a party or an owner announces; empty at all others.
  [[nodiscard]] std::string announcement() const;

  // Of all rows that the role has read: its features, what arms earn, its log. Rows that come from a world are not there yet.
  [[nodiscard]] net::Digest data_digest() const;

  // Once the run's parameters and its epoch are known. Checks the role's data against them (InputError), and in a
  // simulation with a separate rewarder joins actor and rewarder.
  BanditSite& open(const BanditPlan& plan, const AnnouncedData& data, std::uint32_t epoch, bool record_arms,
                   std::function<void(const RewardCurve&)> on_step, const std::atomic<bool>& interrupted);

  // What looks wrong in the role's own files, and can be meant.
  [[nodiscard]] std::vector<std::string> warnings() const;

  // The site of the role that gets the rewards, else null. Once it is open.
  [[nodiscard]] EnvironmentSite* rewards() const noexcept { return rewards_; }

  // Adds what this role alone knows.
  void add_to(RoleReport& report) const;

 private:
  void open_log(const BanditPlan& plan, const AnnouncedData& data, std::uint32_t epoch,
                std::function<void(const RewardCurve&)> on_step);
  void add_log(RoleReport& report) const;

  BanditSettings config_;
  std::optional<Block> block_;
  std::optional<Environment> environment_;
  std::optional<EventLog> log_;
  std::optional<EarlierModel> model_;  // that the run begins from, at a party
  std::optional<std::string> order_;   // of its rows, keyed by the session
  std::unique_ptr<ArmLink> link_;
  std::unique_ptr<BanditSite> site_;
  EnvironmentSite* rewards_ = nullptr;
  LogSite* log_site_ = nullptr;
};

}  // namespace sotto::apps
