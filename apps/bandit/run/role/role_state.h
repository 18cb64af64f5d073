// The store of one role, in a run whose roles store their state (apps/bandit/run/state/store.h).
//
//     Role             stores
//     a party          its shares of the model, every checkpoint_every steps and at the end
//     the rewarder     the reward curve, and the arms if they are recorded
//     another actor    the number of steps that it has done
//     the dealer       the epochs that it has opened, and the number of steps that it has dealt
//
// If one role is both actor and rewarder, it stores what the rewarder stores. All roles except the dealer also store
// the id of each checkpoint (apps/bandit/model/sites.h).
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "apps/bandit/model/sites.h"
#include "apps/bandit/run/result/role_report.h"
#include "apps/bandit/run/settings/settings.h"
#include "apps/bandit/run/sites/site.h"
#include "apps/bandit/run/state/resume_state.h"
#include "apps/bandit/run/state/store.h"

namespace sotto::apps::bandit::run {

void create_role_store(const BanditLinks& role, const BanditRun& run, const RoleInputs& inputs,
                       const RoleFolders& folders);

// The same, with a checkpoint of a run that is over for all roles.
void create_role_store(const BanditLinks& role, const BanditRun& run, const RoleInputs& inputs,
                       const RoleFolders& folders, Checkpoint last);
[[nodiscard]] Checkpoint last_checkpoint(const BanditLinks& role, const BanditRun& run, const RoleInputs& inputs,
                                         const RoleFolders& folders);

class RoleState {
 public:
  // Makes the store, or opens the existing store if folders.resume is set. Does nothing in a run without state.
  RoleState(const BanditLinks& role, const BanditRun& run, const RoleInputs& inputs, const RoleFolders& folders);
  RoleState(const RoleState&) = delete;
  RoleState& operator=(const RoleState&) = delete;
  ~RoleState();

  [[nodiscard]] ResumeState resume_state() const;
  [[nodiscard]] bool complete() const { return store_ && store_->complete(); }
  // Called before this role sends any frame of the epoch.
  void open_epoch(const ResumePoint& opening);

  // Restores `rewards` to its state at the start of the epoch. `site` and `rewards` must outlive this object.
  void attach(BanditSite& site, EnvironmentSite* rewards, const net::SessionId& session);

  void mark_complete();
  void add_to(RoleReport& report) const;

 private:
  class Keeper;

  std::uint64_t steps_;
  BanditRole role_;
  std::unique_ptr<RoleStore> store_;  // null in a run without state
  std::unique_ptr<Keeper> keeper_;
  ResumePoint opening_;
};

}  // namespace sotto::apps::bandit::run
