// The files and folders for the results of a command. The finished results of an earlier command are overwritten only
// with --overwrite. (Keys, configs of `sotto init` and states of runs are never overwritten.)
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

// Commands call the next four functions first, so that an InputError comes before anything is computed.

// The folder for run.json and report.html. The folder is `out`, or a new folder if `out` is empty. With --json and an
// empty `out` there is no folder. The function makes the folder, but refuses a folder in which a run has finished,
// unless `overwrite` is true.
[[nodiscard]] std::filesystem::path results_folder(const std::filesystem::path& out, bool json, bool overwrite);

// Whether the folder has the run.json of a run that did not fail.
[[nodiscard]] bool holds_results(const std::filesystem::path& folder);

// Checks the path `out` of a single file; `out` may be empty. The function refuses a folder, and a file in a folder
// that does not exist. Without `overwrite` the function also refuses a file that exists. A device or a pipe does not
// count as an earlier result.
void check_out_file(const std::filesystem::path& out, bool overwrite);

// Refuses a folder that has one of the files in `names`, unless `overwrite` is true.
void check_out_folder(const std::filesystem::path& folder, const std::vector<std::string>& names, bool overwrite);

// Makes the directory if needed. The function is called before a run starts, so that no run is played in vain. Throws
// ResourceError if the directory cannot be made or is not writable.
void make_run_directory(const std::filesystem::path& directory);

// A new folder sotto-runs/<UTC time>-<id>, e.g. sotto-runs/20260131T104502Z-3f9c1a. The names of the folders sort by
// time, and two runs in the same second get different names.
std::filesystem::path default_run_directory();

// Lines for a terminal that name the files of a run.
[[nodiscard]] std::string files_of_run(const std::filesystem::path& directory);

}  // namespace sotto::apps
