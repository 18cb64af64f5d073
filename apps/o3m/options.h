// What a user asks of an O3M run on one machine: the arguments of `sotto o3m`.
#pragma once

#include <filesystem>

#include "sotto/apps/o3m/inputs.h"
#include "sotto/apps/o3m/settings.h"

namespace sotto::apps {

struct O3mOptions {
  O3mFiles files;
  O3mSettings run;  // 0 steps: those of the files; acknowledge_leakage is recorded
  bool compare_central = false;
  std::filesystem::path out;  // empty: the default, or nothing with json
  bool overwrite = false;     // what a run has finished there
  bool json = false;
};

}  // namespace sotto::apps
