// The settings that roles of every program have, and what holds for them together.
#pragma once

#include "sotto/apps/kit/settings/document.h"
#include "sotto/apps/kit/settings/program.h"

namespace sotto::apps {

// Addresses that can be read, each role at one of its own; [peers] and [trust] complete, and nothing in them that is no
// role of the run; fingerprints well formed and of different certificates; a key of its own unless links are in plain
// text; no report over an input; and what the program itself checks. Throws InputError that starts with the origin of
// what is wrong.
void check_common_settings(const RoleSettings& config, const ConfigDocument& document);

}  // namespace sotto::apps
