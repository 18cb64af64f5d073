// The inputs of a role for a run: its files, which it reads before it connects, and the site that the program calls.
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

// The delay of a role's answers, `delay` in [role]. Throws InputError if the text is not a delay, if the role is
// neither actor nor rewarder, or if the delay may be longer than the role's round deadline.
[[nodiscard]] AnswerDelay role_delay(const BanditLinks& role, const RoleInputs& inputs);

// A site that delays the answers of `site`; null if the config has no delay. The random delays come from the operating
// system, or are repeatable with insecure_seed. All arguments must outlive the result.
[[nodiscard]] std::unique_ptr<DelayedSite> with_delay(const BanditSite& site, const BanditLinks& role,
                                                      const BanditRun& run, const RoleInputs& inputs,
                                                      const std::atomic<bool>& interrupted);

class RoleSite {
 public:
  // Reads the role's files. All arguments must outlive this object. Throws InputError.
  RoleSite(const BanditLinks& role, const BanditRun& run, const RoleInputs& inputs);

  // Called before this role sends its first frame: charges the cost of an evaluation (EvaluatedRows::charge).
  void charge();
  // The reason why the role's account refuses the run. Only the role's own user may see this reason.
  [[nodiscard]] std::optional<InputError> refusal() const;

  // The announcement of a party or an owner; empty at all other roles. Call announcement() after charge().
  [[nodiscard]] std::string announcement() const;

  // The digest of all rows that the role has read: its features, the rewards of arms, its log. The digest does not
  // include rows that come from a world, because they come later.
  [[nodiscard]] net::Digest data_digest() const;

  // Called once the run's parameters and its epoch are known. Checks the role's data against the parameters
  // (InputError). In a simulation with a separate rewarder, open() also connects the actor to the rewarder.
  [[nodiscard]] BanditSite open(const BanditPlan& plan, const AnnouncedData& data, std::uint32_t epoch,
                                bool record_arms, std::function<void(const RewardCurve&)> on_step,
                                const std::atomic<bool>& interrupted);

  // Facts in the role's own files that look wrong but may be intended.
  [[nodiscard]] std::vector<std::string> warnings() const;

  // The site of the role that gets the rewards, after open(); null at other roles.
  [[nodiscard]] EnvironmentSite* rewards() const noexcept { return rewards_.get(); }

  // Whether noise has been drawn since a charge.
  [[nodiscard]] bool charged() const { return evaluated_ && evaluated_->charged(); }

  // Adds to the report the facts that only this role knows.
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
  std::optional<BegunFromModel> model_;  // at a party: the model that the run begins from
  std::optional<std::string> order_;     // order of the role's rows, keyed by the session
  std::unique_ptr<ArmLink> link_;
  // The parts of the role's site.
  std::unique_ptr<PartySite> rows_;
  std::unique_ptr<WorldPartySite> world_;
  std::unique_ptr<ActorSite> actor_;
  std::unique_ptr<EnvironmentSite> rewards_;
  std::unique_ptr<LogSite> log_site_;
  std::unique_ptr<EvaluatedRows> evaluated_;  // the rows of a party or an owner, if a log is evaluated
  std::unique_ptr<OwnNoise> noise_;
  std::vector<CountPrivacy> privacy_;  // privacy terms of all holders, as announced to the actor
  std::unique_ptr<DelayedSite> delayed_;
};

}  // namespace sotto::apps::bandit::run
