// Writes the files of a run: run.json and report.html, each appearing by rename, so that no reader
// meets half a file.
#pragma once

#include <filesystem>

#include "sotto/apps/bandit/result.h"

namespace sotto::apps {

// Makes the directory if needed. A directory or file that cannot be written: ResourceError.
void write_run(const std::filesystem::path& directory, const BanditResult& result);

}  // namespace sotto::apps
