// The list of settings of [service], in the order of a file.
#pragma once

#include <vector>

#include "sotto/apps/kit/settings/setting.h"

namespace sotto::apps {

[[nodiscard]] std::vector<Setting> service_settings();

}  // namespace sotto::apps
