// Whether a run can be refused for the norms of its joint rows, from what its parties announce.
#pragma once

#include <map>
#include <string>

#include "sotto/apps/kit/deploy/config.h"
#include "sotto/apps/kit/deploy/finding.h"
#include "sotto/core/party/topology.h"

namespace sotto::apps {

// `announcements` are those of the parties that have told theirs (apps/kit/deploy/announcement.h). Nothing of a
// run without max_norm, whose bound follows from them.
[[nodiscard]] Findings check_joint_norm(const RunConfig& run,
                                        const std::map<NodeId, std::string>& announcements);

}  // namespace sotto::apps
