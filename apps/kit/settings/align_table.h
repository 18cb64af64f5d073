// [align] of a role's config: how companies' ids are compared before a run.
#pragma once

#include <vector>

#include "apps/kit/settings/program.h"

namespace sotto::apps {

inline constexpr const char* align_table = "align";

// The keys of [align]. In an alignment each has a line in what roles compare; in a run's config those that are not the
// default.
[[nodiscard]] std::vector<Setting> align_setting_list(bool of_alignment);
[[nodiscard]] ConfigTable align_config_table(bool of_alignment);

}  // namespace sotto::apps
