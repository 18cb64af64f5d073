// Runs one role of the private bandit, from its config to its report.
//
// The role reads its own data (a party its CSV, the rewarder of a simulation the environment), connects and does the
// handshake. The role then derives the run's parameters from the config and the parties' announcements, runs the
// program and writes its report.
//
// A role with a state folder opens its store before it connects, and records the new epoch before the first frame of
// the rounds. A role with a state folder keeps its share of the model during the run. With folders.resume, the role
// continues from the newest checkpoint that all roles have (role_state.h).
//
// A role throws the errors of include/sotto/protocol/mesh/driver/run.h, of include/sotto/protocol/mesh/mesh.h and of
// the readers of its files. Every peer has been notified before an error is thrown.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "apps/bandit/model/bandit_plan.h"
#include "apps/bandit/model/parameters.h"
#include "apps/bandit/run/result/role_report.h"
#include "apps/bandit/run/settings/run_settings.h"
#include "apps/bandit/run/settings/settings.h"
#include "apps/bandit/run/state/resume_state.h"
#include "apps/bandit/run/stock/stock_state.h"
#include "apps/kit/deploy/announcement.h"
#include "apps/kit/deploy/role_process.h"
#include "sotto/protocol/mesh/mesh.h"

namespace sotto::apps::bandit::run {

RoleReport run_role(const BanditLinks& role, const BanditRun& run, const RoleInputs& inputs, const RoleFolders& folders,
                    const RoleExtras& extras, const std::atomic<bool>& interrupted);

// Functions that make a role's randomness ahead of a run, into its stock (apps/bandit/run/stock/stock.h). All roles of
// the run make the randomness together, over the links of the run.

struct PreparedStock {
  std::uint64_t stretches = 0;
  std::uint64_t steps = 0;  // number of steps that the stretches cover
  std::uint64_t bytes = 0;
  bool whole = false;  // whether the stretches are enough for the whole run
};

// Makes randomness for at most `steps` steps from the first step of the run, rounded up to a whole stretch. The steps
// of existing stretches are included in `steps`. Returns when all roles have stretches for this number of steps. Throws
// as run_role() and Stock do; stretches that were made before an error are kept.
PreparedStock prepare_role(const BanditLinks& role, const BanditRun& run, const RoleInputs& inputs,
                           const RoleFolders& folders, std::uint64_t steps, const RoleExtras& extras,
                           const std::atomic<bool>& interrupted);

// The facts that a role knows about a run after its links are set up: the plan that follows from all parties'
// announcements, and the point where the run begins.

struct AgreedRun {
  BanditPlan plan;
  AnnouncedData data;
};

// Throws DisagreementError if the parties' announcements do not fit the run.
[[nodiscard]] AgreedRun agree_on_run(const BanditRun& run, const net::Mesh& mesh);
[[nodiscard]] AgreedRun agree_on_run(const BanditRun& run, AnnouncedData data);

// The facts about the data for which a stock is made, one per line.
[[nodiscard]] std::string stocked_data(const AgreedRun& agreed);

// The resume bytes of the handshake. If the parties make the randomness, these bytes include the standing of each
// role's stock.
[[nodiscard]] net::Resume role_resume(const Topology& topology, const ResumeState& mine, const StockState& stock);

struct Opening {
  ResumePoint from;
  StockPoint stock;
};
[[nodiscard]] Opening opening_of(const net::Mesh& mesh);

}  // namespace sotto::apps::bandit::run
