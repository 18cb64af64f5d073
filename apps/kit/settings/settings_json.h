// What a run was asked for, as its run.json says it.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "sotto/apps/kit/settings/program.h"

namespace sotto::apps {

// The settings in [run] by key, defaults too.
[[nodiscard]] nlohmann::json settings_json(const Settings& settings);

}  // namespace sotto::apps
