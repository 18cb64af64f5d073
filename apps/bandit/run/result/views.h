// The views of the roles in a run of the private bandit: the table of the report and of run.json.
#pragma once

#include <string>
#include <vector>

#include "apps/bandit/run/result/result.h"
#include "apps/bandit/run/settings/run_settings.h"

namespace sotto::apps::bandit::run {

struct ViewOptions {
  std::vector<std::string> party_names;    // e.g. "party 0 (a.csv)"
  std::size_t computing_only = 0;          // number of parties that bring no features; they are the last parties
  std::vector<std::string> owner_names{};  // e.g. "owner 0 (a.csv)"
  bool actor_is_rewarder = true;           // whether one process has both roles
  bool local_simulation = true;            // whether a launcher runs all roles on one machine
  bool reveal_model = false;
  BanditTask task = BanditTask::play;
  RandomnessBy preprocessing = RandomnessBy::dealer;
};

// The roles of the run under their plain names, on one machine.
[[nodiscard]] ViewOptions view_options(const BanditRun& run);

// One view per compute party, one per owner, then the dealer or the helper if there is one, the actor and the rewarder
// (one or two), and the launcher.
std::vector<RoleView> bandit_views(const ViewOptions& options);

}  // namespace sotto::apps::bandit::run
