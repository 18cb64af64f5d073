// What `sotto bandit` was asked for beside the settings in its roles' configs, kept with the state of a run, so that
// the run can be resumed from its folder alone: the input files with their digests, which must not have changed, and
// whether it is compared with plain text. A JSON file that appears by rename.
#pragma once

#include <filesystem>

#include "apps/bandit/run/settings/options.h"

namespace sotto::apps::bandit::run {

// Paths become absolute. Throws as write_file does, and InputError where an input file cannot be read.
void save_run(const std::filesystem::path& file, const BanditOptions& options);

// Throws InputError where the file is missing, is none that save_run() writes, or where an input file is not what it
// was.
[[nodiscard]] BanditOptions read_saved_run(const std::filesystem::path& file);

}  // namespace sotto::apps::bandit::run
