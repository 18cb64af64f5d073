// The list of all settings, for people.
#pragma once

#include <string>

#include "sotto/apps/kit/settings/program.h"

namespace sotto::apps {

// Each with what it must be, its default, its variable and its flag, table by table, and whose runs have it.
[[nodiscard]] std::string settings_manual(const Keys& keys);

}  // namespace sotto::apps
