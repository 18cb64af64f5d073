// The model of Python's EpsilonGreedy.
#pragma once

#include <map>
#include <string>

#include "apps/bandit/run/local/in_process/shared_model.h"
#include "apps/kit/program/say.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::python {

// A model that supports only one call at a time. The lock that admits only one call at a time is in Python's
// EpsilonGreedy.
struct TimedModel {
  apps::bandit::run::SharedModel model;
  double seconds = 0;  // duration of the last call, without Python's overhead
};

// Makes a model for as many rows as the settings have steps. In Python, the number of rows is called max_rows.
template <class Make>
auto with_max_rows(Make make) {
  try {
    return make();
  } catch (const InputError& error) {
    throw InputError(apps::respell_flags(error.what(), std::map<std::string, std::string>{{"--steps", "max_rows"}}));
  }
}

}  // namespace sotto::python
