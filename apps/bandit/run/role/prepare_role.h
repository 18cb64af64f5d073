// Makes a role's randomness ahead of a run, into its stock (apps/bandit/run/stock/stock.h), together with all other
// roles of the run, over the links of the run.
#pragma once

#include <atomic>
#include <cstdint>

#include "apps/bandit/run/settings/settings.h"
#include "apps/kit/deploy/role_process.h"

namespace sotto::apps::bandit::run {

struct PreparedStock {
  std::uint64_t stretches = 0;
  std::uint64_t steps = 0;  // behind them
  std::uint64_t bytes = 0;
  bool whole = false;  // the run needs no more
};

// For at most `steps` steps from the run's first one, rounded up to a stretch; what is there already counts. Ends when
// all roles have as much. Throws as run_role(), and as Stock; what was made before is kept.
PreparedStock prepare_role(const BanditSettings& config, std::uint64_t steps, const RoleExtras& extras,
                           const std::atomic<bool>& interrupted);

}  // namespace sotto::apps::bandit::run
