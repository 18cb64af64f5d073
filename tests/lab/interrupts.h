// Whether a run of a test is interrupted: never, or from the start.
#pragma once

#include "tests/framework.h"

namespace sotto::apps {

inline const std::atomic<bool> not_interrupted{false};
inline const std::atomic<bool> interrupted{true};

}  // namespace sotto::apps
