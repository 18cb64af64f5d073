// What a role brings to a run: its files, read before anything is connected, and the site that the program asks.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/bandit/run/log/event_log.h"
#include "apps/bandit/run/result/role_report.h"
#include "apps/bandit/run/role/earlier_model.h"
#include "apps/bandit/run/role/evaluated_rows.h"
#include "apps/bandit/run/settings/settings.h"
#include "apps/bandit/run/sites/delayed_site.h"
#include "apps/bandit/run/sites/site.h"
#include "apps/bandit/run/sites/world_site.h"
#include "apps/kit/deploy/announcement.h"
#include "apps/prepare/data/contexts.h"
#include "apps/prepare/data/environment.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::bandit::run {

// The delay of a role's answers, `delay` in [role]. Throws InputError if the text is no delay, the role is neither
// actor nor rewarder, or the delay may take longer than the role's round deadline.
[[nodiscard]] AnswerDelay role_delay(const BanditLinks& role, const RoleInputs& inputs);

// What the role brings, with its answers delayed; null where the config has no delay. Coins are from the operating
// system, or repeatable with insecure_seed. All must outlive it.
[[nodiscard]] std::unique_ptr<DelayedSite> with_delay(const BanditSite& site, const BanditLinks& role,
                                                      const BanditRun& run, const RoleInputs& inputs,
                                                      const std::atomic<bool>& interrupted);

class RoleSite {
 public:
  // Reads the role's files. All must outlive this. Throws InputError.
  RoleSite(const BanditLinks& role, const BanditRun& run, const RoleInputs& inputs);

  // Before the first frame to anybody: counts what an evaluation costs (EvaluatedRows::charge).
  void charge();
  // Why the role's account refuses the run, for its own user alone.
  [[nodiscard]] std::optional<InputError> refusal() const;

  // What a party or an owner announces; empty at all others. After charge().
  [[nodiscard]] std::string announcement() const;

  // Of all rows that the role has read: its features, what arms earn, its log. Rows that come from a world are not
  // there yet.
  [[nodiscard]] net::Digest data_digest() const;

  // Once the run's parameters and its epoch are known. Checks the role's data against them (InputError), and in a
  // simulation with a separate rewarder joins actor and rewarder.
  [[nodiscard]] BanditSite open(const BanditPlan& plan, const AnnouncedData& data, std::uint32_t epoch,
                                bool record_arms, std::function<void(const RewardCurve&)> on_step,
                                const std::atomic<bool>& interrupted);

  // What looks wrong in the role's own files, and can be meant.
  [[nodiscard]] std::vector<std::string> warnings() const;

  // Of the role that gets the rewards, else null. Once it is open.
  [[nodiscard]] EnvironmentSite* rewards() const noexcept { return rewards_.get(); }

  // Whether noise was drawn after a charge.
  [[nodiscard]] bool charged() const { return evaluated_ && evaluated_->charged(); }

  // Adds what this role alone knows.
  void add_to(RoleReport& report) const;

 private:
  void open_log(const BanditPlan& plan, const AnnouncedData& data, std::uint32_t epoch,
                std::function<void(const RewardCurve&)> on_step);
  void join_actor_and_rewarder(const std::atomic<bool>& interrupted);
  void add_log(RoleReport& report) const;

  const BanditLinks& role_;
  const BanditRun& run_;
  const RoleInputs& inputs_;
  std::optional<prepare::Block> block_;
  std::optional<prepare::Environment> environment_;
  std::optional<EventLog> log_;
  std::optional<BegunFromModel> model_;  // that the run begins from, at a party
  std::optional<std::string> order_;     // of its rows, keyed by the session
  std::unique_ptr<ArmLink> link_;
  // What it is asked for.
  std::unique_ptr<PartySite> rows_;
  std::unique_ptr<WorldPartySite> world_;
  std::unique_ptr<ActorSite> actor_;
  std::unique_ptr<EnvironmentSite> rewards_;
  std::unique_ptr<LogSite> log_site_;
  std::unique_ptr<EvaluatedRows> evaluated_;  // of a party or an owner, where a log is evaluated
  std::unique_ptr<OwnNoise> noise_;
  std::vector<CountPrivacy> privacy_;  // of all holders, as the actor has heard it
  std::unique_ptr<DelayedSite> delayed_;
};

}  // namespace sotto::apps::bandit::run
