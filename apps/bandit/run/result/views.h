#pragma once

#include <string>
#include <vector>

#include "apps/bandit/run/result/result.h"
#include "apps/bandit/run/settings/run_settings.h"

namespace sotto::apps::bandit::run {

struct ViewOptions {
  std::vector<std::string> party_names;    // such as "party 0 (a.csv)"
  std::size_t computing_only = 0;          // number of parties without features, the last ones
  std::vector<std::string> owner_names{};  // such as "owner 0 (a.csv)"
  bool actor_is_rewarder = true;
  bool local_simulation = true;
  bool reveal_model = false;
  BanditTask task = BanditTask::play;
  RandomnessBy preprocessing = RandomnessBy::dealer;
};

[[nodiscard]] ViewOptions view_options(const BanditRun& run);

std::vector<RoleView> bandit_views(const ViewOptions& options);

}  // namespace sotto::apps::bandit::run
