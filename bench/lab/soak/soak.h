// A soak of the decision service: all roles as processes that are killed at random, and a client that knows of them
// only what HTTP says. It pushes features, asks for decisions, posts rewards late, twice or never, each call again
// until it is answered. At the end every acknowledged call is compared with what the roles answer then, and the model
// with the sums over what was told and rewarded.
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "bench/lab/soak/soak_figures.h"

namespace sotto::apps::lab {

// `progress` is told a line once a second. Throws Error where the service does not go on for five minutes or a role
// ends by itself, InputError where a role is named that there is not. Once `interrupted` is set no event begins any
// more, nobody is killed, and what there is comes to its end.
[[nodiscard]] SoakFigures run_soak(const SoakSettings& settings, const std::atomic<bool>& interrupted,
                                   const std::function<void(const std::string&)>& progress);

}  // namespace sotto::apps::lab
