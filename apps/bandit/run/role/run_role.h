// Runs one role of the private bandit, from its config to its report.
//
// It reads what the role owns (a party its CSV, the rewarder of a simulation the environment), connects and shakes
// hands, takes the run's parameters from the config and the parties' announcements, runs the program and writes the
// role's report. A role with a state folder opens its store before it connects, writes the new epoch down before the
// first frame of the rounds, keeps its share of the model on the way, and with folders.resume goes on from the newest
// checkpoint that all roles have (role_state.h). It throws what can go wrong on the way
// (include/sotto/protocol/mesh/driver/run.h, include/sotto/protocol/mesh/mesh.h, and the readers of its files); by then
// every peer has been told.
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
#include "apps/bandit/run/stock/standing.h"
#include "apps/kit/deploy/announcement.h"
#include "apps/kit/deploy/role_process.h"
#include "sotto/protocol/mesh/mesh.h"

namespace sotto::apps::bandit::run {

RoleReport run_role(const BanditLinks& role, const BanditRun& run, const RoleInputs& inputs, const RoleFolders& folders,
                    const RoleExtras& extras, const std::atomic<bool>& interrupted);

// Makes a role's randomness ahead of a run, into its stock (apps/bandit/run/stock/stock.h), together with all other
// roles of the run, over the links of the run.

struct PreparedStock {
  std::uint64_t stretches = 0;
  std::uint64_t steps = 0;  // behind them
  std::uint64_t bytes = 0;
  bool whole = false;  // the run needs no more
};

// For at most `steps` steps from the run's first one, rounded up to a stretch; what is there already counts. Ends when
// all roles have as much. Throws as run_role(), and as Stock; what was made before is kept.
PreparedStock prepare_role(const BanditLinks& role, const BanditRun& run, const RoleInputs& inputs,
                           const RoleFolders& folders, std::uint64_t steps, const RoleExtras& extras,
                           const std::atomic<bool>& interrupted);

// What a role knows of a run once its links are set up: the plan that follows from what all parties announced, and
// where the run begins.

struct AgreedRun {
  BanditPlan plan;
  AnnouncedData data;
};

// Throws DisagreementError where what the parties announced does not fit the run.
[[nodiscard]] AgreedRun agree_on_run(const BanditRun& run, const net::Mesh& mesh);

// Of the data, what a stock is for, line by line.
[[nodiscard]] std::string stocked_data(const AgreedRun& agreed);

// What the handshake carries; where the parties make the randomness also what they say of their stocks.
[[nodiscard]] net::Resume role_resume(const Topology& topology, const ResumeState& mine, const StockStanding& stock);

struct Opening {
  ResumePoint from;
  StockPoint stock;
};
[[nodiscard]] Opening opening_of(const net::Mesh& mesh);

}  // namespace sotto::apps::bandit::run
