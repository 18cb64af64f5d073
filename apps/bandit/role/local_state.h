// The state of a run whose roles are all on this machine: a folder with one folder a role,
//
//     party_0/config.toml   what `sotto party --config` takes
//     party_0/key.pem       its private key and certificate; the store is encrypted under it
//     party_0/store.db ...  its store (apps/bandit/state/store.h)
//
// all of them for their owner only. Everything is made before any role is started, in a folder beside it (".new") that
// then gets its name: whoever is killed meanwhile leaves no state, or all of it, which can be resumed whatever happens
// from then on.
//
// That all roles' keys and stores are in one place is what a simulation is: who reads this folder reads the model.
// Roles of different companies each keep their own.
#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "sotto/apps/bandit/role/launcher.h"
#include "sotto/apps/bandit/settings.h"

namespace sotto::apps {

// The roles of a run on this machine, the dealer first where there is one, without keys and addresses. Paths of files are absolute.
[[nodiscard]] std::vector<BanditSettings> local_roles(const LocalRun& local);

// Keys, configs and stores for all roles, and what `add` puts beside them in the folder that it is given; the parent
// must be there. What a process that was killed left of it is made anew. Throws InputError where the folder is not
// empty, ResourceError where it cannot be written or another process makes it.
void create_local_state(const std::filesystem::path& folder, std::vector<BanditSettings> roles,
                        const std::function<void(const std::filesystem::path&)>& add = {});

// The configs that create_local_state() wrote, in the same order. Throws InputError where one is missing.
[[nodiscard]] std::vector<BanditSettings> read_local_state(const std::filesystem::path& folder);

// Whether every role has finished the run. Throws as RoleStore does.
[[nodiscard]] bool local_state_complete(const std::vector<BanditSettings>& roles);

}  // namespace sotto::apps
