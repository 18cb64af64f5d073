// The inputs of a role for a run.
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
#include "apps/kit/files/best_bits.h"
#include "apps/prepare/data/contexts.h"
#include "apps/prepare/data/environment.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::bandit::run {

// Throws InputError if the text is not a delay, or if the longest delay exceeds the round deadline.
[[nodiscard]] AnswerDelay role_delay(const BanditLinks& role, const RoleInputs& inputs);

// Returns null if the config has no delay. All arguments must outlive the result.
[[nodiscard]] std::unique_ptr<DelayedSite> with_delay(const BanditSite& site, const BanditLinks& role,
                                                      const BanditRun& run, const RoleInputs& inputs,
                                                      const std::atomic<bool>& interrupted);

class RoleSite {
 public:
  // All arguments must outlive this object. Throws InputError.
  RoleSite(const BanditLinks& role, const BanditRun& run, const RoleInputs& inputs);

  // Charges the account of the role's subjects. Called before this role sends its first frame.
  void charge();
  // The reason why this role refuses the evaluation. Show the reason only to the role's own user.
  [[nodiscard]] std::optional<InputError> refusal() const;

  // Call announcement() after charge().
  [[nodiscard]] std::string announcement() const;

  // The digest of the role's data. The digest does not include rows from a world.
  [[nodiscard]] net::Digest data_digest() const;

  // Throws InputError if the role's data do not fit the parameters.
  [[nodiscard]] BanditSite open(const BanditPlan& plan, const AnnouncedData& data, std::uint32_t epoch,
                                bool record_arms, std::function<void(const RewardCurve&)> on_step,
                                const std::atomic<bool>& interrupted);

  [[nodiscard]] std::vector<std::string> warnings() const;

  // Returns null before open().
  [[nodiscard]] EnvironmentSite* rewards() const noexcept { return rewards_.get(); }

  [[nodiscard]] bool charged() const { return evaluated_ && evaluated_->charged(); }

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
  std::optional<BegunFromModel> model_;  // the earlier model, at a party
  std::optional<std::string> order_;     // digest of the order of the rows, keyed by the session
  std::unique_ptr<ArmLink> link_;
  std::unique_ptr<PartySite> rows_;
  std::unique_ptr<WorldPartySite> world_;
  std::unique_ptr<ActorSite> actor_;
  std::unique_ptr<EnvironmentSite> rewards_;
  std::unique_ptr<LogSite> log_site_;
  std::unique_ptr<EvaluatedRows> evaluated_;  // null unless the run evaluates a log
  std::optional<BestBits> best_;              // at a party of an evaluation
  std::unique_ptr<KeptBestSite> best_site_;
  std::unique_ptr<OwnNoise> noise_;
  std::vector<CountPrivacy> privacy_;  // of all holders of features
  std::unique_ptr<DelayedSite> delayed_;
};

}  // namespace sotto::apps::bandit::run
