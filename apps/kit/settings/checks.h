// What the values of a config must be together.
#pragma once

#include "sotto/apps/kit/deploy/config.h"
#include "sotto/apps/kit/settings/document.h"

namespace sotto::apps {

// Of a run of O3M, that its leakage is acknowledged. Addresses that can be read, each role at one of its own; [peers] and [trust] complete, and
// nothing in them that is no role of the run; fingerprints well formed and of different
// certificates; the files that the role needs; a delay that can be read and is below the round
// deadline; a key of its own unless links are in plain text; a
// store where there are checkpoints, and the other way round. Throws InputError that starts with
// the origin of what is wrong.
void check_config(const RoleConfig& config, const ConfigDocument& document);

}  // namespace sotto::apps
