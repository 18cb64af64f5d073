// Where the files of a run go.
#pragma once

#include <filesystem>
#include <string>

namespace sotto::apps {

// Makes the directory if needed: called before a run starts, so that none is played in vain. ResourceError where it
// cannot be made or written in.
void make_run_directory(const std::filesystem::path& directory);

// sotto-runs/<UTC time>-<id>, e.g. sotto-runs/20260131T104502Z-3f9c1a: sorts by time, and two runs of one second
// differ.
std::filesystem::path default_run_directory();

// Lines that name the files of a run, for a terminal.
[[nodiscard]] std::string files_of_run(const std::filesystem::path& directory);

}  // namespace sotto::apps
