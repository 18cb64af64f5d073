// Where results go. What an earlier command has finished is written over only where --overwrite asks for it. (Keys,
// configs of `sotto init` and states of runs are never written over.)
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace sotto::apps {

class Command;

// Declares --out, --overwrite and --json of a command that writes a run.json and a report.html.
void add_run_output(Command& command, std::filesystem::path& out, bool& overwrite, bool& json);

// Declares --overwrite, beside a command's --out.
void add_overwrite(Command& command, bool& overwrite);

// The next four throw InputError, before anything is computed.

// The folder for run.json and report.html: `out`, or without that a new one, or with --json none. Made, and refused
// where a run has finished in it.
[[nodiscard]] std::filesystem::path results_folder(const std::filesystem::path& out, bool json, bool overwrite);

// Whether the folder has the run.json of a run that did not fail.
[[nodiscard]] bool holds_results(const std::filesystem::path& folder);

// Of a single file, `out`, which may be empty: refused where it is there, or a folder, or in none. A device or a pipe
// is no earlier result.
void check_out_file(const std::filesystem::path& out, bool overwrite);

// Refuses a folder that has one of these files.
void check_out_folder(const std::filesystem::path& folder, const std::vector<std::string>& names, bool overwrite);

// Makes the directory if needed: called before a run starts, so that none is played in vain. ResourceError where it
// cannot be made or written in.
void make_run_directory(const std::filesystem::path& directory);

// sotto-runs/<UTC time>-<id>, e.g. sotto-runs/20260131T104502Z-3f9c1a: sorts by time, and two runs of one second
// differ.
std::filesystem::path default_run_directory();

// Lines that name the files of a run, for a terminal.
[[nodiscard]] std::string files_of_run(const std::filesystem::path& directory);

}  // namespace sotto::apps
