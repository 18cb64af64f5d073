// A role's config.toml for people to read and change: each key under a comment that says what it is.
#pragma once

#include <string>

#include "apps/kit/settings/command_config.h"
#include "apps/kit/settings/program.h"

namespace sotto::apps {

// TOML that reads back as `config`, paths as they are. Keys that the role can have and that are not set are there as
// comments, so is [trust] while it is empty; then the config is complete once the fingerprints of all roles are in it,
// and a role of O3M can start once whoever owns it has acknowledged what that leaks.
[[nodiscard]] std::string commented_config(const RoleSettings& config);

// Of a role whose settings are its command's options: what has no value is a comment, to be filled in.
[[nodiscard]] std::string commented_config(const CommandSettings& config);

// README.txt in the folder of a role: what whoever runs the role does next, in which order.

[[nodiscard]] std::string readme(const RoleSettings& config);

}  // namespace sotto::apps
