// The places for results. The finished results of an earlier command are overwritten only with --overwrite. (Keys,
// configs of `sotto init` and states of runs are never overwritten.)
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace sotto::apps {

class Command;

// Declares --out, --overwrite and --json of a command that writes a run.json and a report.html.
void add_run_output(Command& command, std::filesystem::path& out, bool& overwrite, bool& json);

// Declares --overwrite, for a command with --out.
void add_overwrite(Command& command, bool& overwrite);

// The next four functions throw InputError before anything is computed.

// The folder for run.json and report.html. It is `out`. Without `out` it is a new folder, or no folder with --json. The
// folder is made here. A folder in which a run has finished is refused.
[[nodiscard]] std::filesystem::path results_folder(const std::filesystem::path& out, bool json, bool overwrite);

// Whether the folder has the run.json of a run that did not fail.
[[nodiscard]] bool holds_results(const std::filesystem::path& folder);

// Checks a single file `out`, which may be empty. Refuses a file that exists, a folder, and a file in a folder that
// does not exist. A device or a pipe is no earlier result.
void check_out_file(const std::filesystem::path& out, bool overwrite);

// Refuses a folder that has one of these files.
void check_out_folder(const std::filesystem::path& folder, const std::vector<std::string>& names, bool overwrite);

// Makes the directory if needed. It is called before a run starts, so that no run is played in vain. Throws
// ResourceError if the directory cannot be made or is not writable.
void make_run_directory(const std::filesystem::path& directory);

// A new folder sotto-runs/<UTC time>-<id>, e.g. sotto-runs/20260131T104502Z-3f9c1a. The names sort by time, and the
// names of two runs in one second differ.
std::filesystem::path default_run_directory();

// Lines that name the files of a run, for a terminal.
[[nodiscard]] std::string files_of_run(const std::filesystem::path& directory);

}  // namespace sotto::apps
