// Whose store the folder of a role's config is, its key, and what is done to it while the role does not run.
#pragma once

#include <filesystem>

#include "apps/live/config/live_config.h"
#include "apps/live/rows/live_store.h"

namespace sotto::apps::live {

// Whose store it is, and the key of its rows.
[[nodiscard]] LiveIdentity live_identity(const LiveConfig& config);
[[nodiscard]] SealingKey live_key(const LiveConfig& config);

// A whole copy of the store in another folder, which must not hold one. Throws as LiveStore does.
void back_up_store(const LiveConfig& config, const std::filesystem::path& into);

// Seals a store that was sealed with the private key in `old_key` with that of the config. False if that is done.
// Throws as LiveStore does, and InputError where neither key opens it.
bool change_store_key(const LiveConfig& config, const std::filesystem::path& old_key);

}  // namespace sotto::apps::live
