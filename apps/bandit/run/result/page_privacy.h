// The sections of report.html about who sees what: the flow of data with the roles' views, and the differential privacy
// of arms.
#pragma once

#include "apps/bandit/run/result/result.h"
#include "apps/kit/report/run_page.h"

namespace sotto::apps::bandit::run {

[[nodiscard]] PageSection views_section(const BanditResult& result);
// Who could know what of the run's randomness (randomness_account.h).
[[nodiscard]] PageSection randomness_section(const BanditResult& result);
[[nodiscard]] PageSection privacy_section(const BanditResult& result);

}  // namespace sotto::apps::bandit::run
