// The store of one role in a run whose roles keep their state (apps/bandit/run/state/store.h): opened before anything
// is connected, told of the epoch after the handshake, and then between the program and the role's site.
//
//     Role             stores
//     a party          its shares of the model, every checkpoint_every steps and at the end
//     who gets the rewards   the reward curve, and the arms where they are recorded
//     another actor    how far it has come
//     the dealer       the epochs that it opened, how many steps it has dealt
//
// All but the dealer also store the id of each checkpoint (apps/bandit/model/sites.h).
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

// Makes the store of a role that has none, as the launcher does for all before it starts any: from then on the run can
// be resumed whatever happens. Throws as RoleStore does, and InputError where the key cannot be read.
void create_role_store(const BanditLinks& role, const BanditRun& run, const RoleInputs& inputs,
                       const RoleFolders& folders);

// The newest checkpoint of a role that does not run. Throws as RoleStore does, and InputError where there is none.
[[nodiscard]] Checkpoint last_checkpoint(const BanditLinks& role, const BanditRun& run, const RoleInputs& inputs,
                                         const RoleFolders& folders);

class RoleState {
 public:
  // Of a run that keeps no state: does nothing, and stands at the beginning. Otherwise makes the store, or opens it
  // with folders.resume. Throws as RoleStore does, and InputError where the config names no folder or no key.
  RoleState(const BanditLinks& role, const BanditRun& run, const RoleInputs& inputs, const RoleFolders& folders);
  RoleState(const RoleState&) = delete;
  RoleState& operator=(const RoleState&) = delete;
  ~RoleState();

  [[nodiscard]] ResumeState standing() const;
  // The run was over for all roles before. False where no state is kept.
  [[nodiscard]] bool complete() const { return store_ && store_->complete(); }
  // Writes down that the epoch is open, before any frame of it is sent.
  void open_epoch(const ResumePoint& opening);

  // Adds to the site what keeps its state on the way, if any is kept. `rewards` is its own where it gets them, else
  // null; both must outlive this object. `session` is that of the links. Brings `rewards` to where the epoch starts.
  void attach(BanditSite& site, EnvironmentSite* rewards, const net::SessionId& session);

  // The run is over for all roles, and this role has written its report.
  void mark_complete();
  void add_to(RoleReport& report) const;

 private:
  class Keeper;

  std::uint64_t steps_;
  BanditRole role_;
  std::unique_ptr<RoleStore> store_;  // null where no state is kept
  std::unique_ptr<Keeper> keeper_;
  ResumePoint opening_;
};

}  // namespace sotto::apps::bandit::run
