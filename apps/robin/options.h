// What a user of `sotto robin` asks for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "sotto/apps/robin/instance.h"
#include "sotto/apps/robin/settings.h"

namespace sotto::apps {

struct RobinOptions {
  RobinSettings settings;  // as the flags have them
  bool horizon_given = false;
  std::vector<std::filesystem::path> files;  // of logged clients; empty: simulated
  double deadline_seconds = 600;
  bool twins = true;
  std::optional<std::uint64_t> insecure_seed;
  bool insecure_plaintext = false;
  std::filesystem::path out;
  bool overwrite = false;  // what a run has finished there
  bool json = false;
};

// Who plays what.
struct RobinInputs {
  RobinSettings settings;  // resolved()
  std::shared_ptr<const RobinInstance> instance;
  bool has_means = true;  // of logged data: regret is that of means
};

// Reads the files, or makes the simulated instance. InputError that names the flag or file:line for what cannot be run.
[[nodiscard]] RobinInputs read_robin_inputs(const RobinOptions& options);

// --deadline; InputError unless it is above 0 and at most a week.
void check_deadline(double seconds);

}  // namespace sotto::apps
