// The list of all settings, for people.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sotto/apps/kit/settings/command_config.h"

namespace sotto::apps {

// Each with what it must be, its default and its flag, table by table, and whose runs have it; then those of roles whose
// commands have them as options.
[[nodiscard]] std::string settings_manual(const Keys& keys,
                                          const std::vector<std::unique_ptr<CommandSettings>>& roles = {});

}  // namespace sotto::apps
