// A service whose roles all run on this machine, in one folder.
#pragma once

#include <filesystem>
#include <vector>

#include "apps/live/config/live_config.h"

namespace sotto::apps::live {

// The configs of its roles, in the order of roles(), with these settings in common: makes their keys in `folder`, and
// gives each a store there, ROLE-state, and an interface at the Unix socket ROLE.sock. Throws as make_local_keys().
[[nodiscard]] std::vector<LiveConfig> local_service(LiveConfig common, const std::filesystem::path& folder);

}  // namespace sotto::apps::live
