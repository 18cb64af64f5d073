// Runs one role of the private bandit, from its config to its report.
//
// A role opens its store before it connects, and records the new epoch before it sends the first frame of the rounds. A
// role throws the errors of include/sotto/protocol/mesh/driver/run.h, of include/sotto/protocol/mesh/mesh.h and of the
// readers of its files. Before a role throws an error, the role notifies every peer.
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

struct PreparedStock {
  std::uint64_t stretches = 0;
  std::uint64_t steps = 0;
  std::uint64_t bytes = 0;
  bool whole = false;  // whether the stock is enough for the whole run
};

// Makes randomness for the first `steps` steps, rounded up to a whole stretch. Throws the errors of run_role() and of
// Stock. The stock keeps all stretches that were made before an error.
PreparedStock prepare_role(const BanditLinks& role, const BanditRun& run, const RoleInputs& inputs,
                           const RoleFolders& folders, std::uint64_t steps, const RoleExtras& extras,
                           const std::atomic<bool>& interrupted);

struct AgreedRun {
  BanditPlan plan;
  AnnouncedData data;
};

// Throws DisagreementError if the parties' announcements do not fit the run or each other.
[[nodiscard]] AgreedRun agree_on_run(const BanditRun& run, const net::Mesh& mesh);
[[nodiscard]] AgreedRun agree_on_run(const BanditRun& run, AnnouncedData data);

[[nodiscard]] std::string stocked_data(const AgreedRun& agreed);

[[nodiscard]] net::Resume role_resume(const Topology& topology, const ResumeState& mine, const StockState& stock);

struct Opening {
  ResumePoint from;
  StockPoint stock;
};
[[nodiscard]] Opening opening_of(const net::Mesh& mesh);

}  // namespace sotto::apps::bandit::run
