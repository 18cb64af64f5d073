// The store of one role in a run whose roles keep their state (apps/bandit/run/state/store.h). The store is opened
// before the role connects, learns the epoch after the handshake, and then records what passes between the program and
// the role's site.
//
//     Role             stores
//     a party          its shares of the model, every checkpoint_every steps and at the end
//     the role that gets the rewards   the reward curve, and the arms if they are recorded
//     another actor    the number of steps that it has done
//     the dealer       the epochs that it has opened, and the number of steps that it has dealt
//
// All roles except the dealer also store the id of each checkpoint (apps/bandit/model/sites.h).
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

// Makes the store of a role that has none. The launcher makes the stores of all roles before it starts any role. Once
// the stores exist, the run can be resumed, whatever happens. Throws as RoleStore does, and InputError if the key
// cannot be read.
void create_role_store(const BanditLinks& role, const BanditRun& run, const RoleInputs& inputs,
                       const RoleFolders& folders);

// The same, with a checkpoint of a run that is over for all roles.
void create_role_store(const BanditLinks& role, const BanditRun& run, const RoleInputs& inputs,
                       const RoleFolders& folders, Checkpoint last);

// The newest checkpoint of a role that is not running. Throws as RoleStore does, and InputError if there is no
// checkpoint.
[[nodiscard]] Checkpoint last_checkpoint(const BanditLinks& role, const BanditRun& run, const RoleInputs& inputs,
                                         const RoleFolders& folders);

class RoleState {
 public:
  // In a run that keeps no state, a RoleState does nothing and is always at the beginning. In a run that keeps state,
  // the constructor makes the store, or opens the existing store if folders.resume is set. Throws as RoleStore does,
  // and InputError if the config names no folder or no key.
  RoleState(const BanditLinks& role, const BanditRun& run, const RoleInputs& inputs, const RoleFolders& folders);
  RoleState(const RoleState&) = delete;
  RoleState& operator=(const RoleState&) = delete;
  ~RoleState();

  [[nodiscard]] ResumeState standing() const;
  // Whether the run is already over for all roles. False if no state is kept.
  [[nodiscard]] bool complete() const { return store_ && store_->complete(); }
  // Records that the epoch is open, before any frame of this epoch is sent.
  void open_epoch(const ResumePoint& opening);

  // Adds to the site the part that keeps the role's state during the run, if the run keeps state. `rewards` is the
  // role's own reward site, or null if it gets no rewards. `site` and `rewards` must outlive this object. `session` is
  // the session of the links. Also restores `rewards` to its state at the step where the epoch starts.
  void attach(BanditSite& site, EnvironmentSite* rewards, const net::SessionId& session);

  // Records that the run is over for all roles, and that this role has written its report.
  void mark_complete();
  void add_to(RoleReport& report) const;

 private:
  class Keeper;

  std::uint64_t steps_;
  BanditRole role_;
  std::unique_ptr<RoleStore> store_;  // null if no state is kept
  std::unique_ptr<Keeper> keeper_;
  ResumePoint opening_;
};

}  // namespace sotto::apps::bandit::run
