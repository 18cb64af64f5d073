// The model of Python's EpsilonGreedy.
#pragma once

#include "apps/bandit/run/local/in_process/shared_model.h"

namespace sotto::python {

// A model that supports only one call at a time. The lock that admits only one call at a time is in Python's
// EpsilonGreedy.
struct TimedModel {
  apps::bandit::run::SharedModel model;
  double seconds = 0;  // duration of the last call, without Python's overhead
};

}  // namespace sotto::python
