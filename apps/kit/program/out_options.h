// Folders and files for the results of commands. Finished results are overwritten only with --overwrite. Keys, configs
// and states are never overwritten.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace sotto::apps {

class Command;

void add_run_output(Command& command, std::filesystem::path& out, bool& overwrite, bool& json);

void add_overwrite(Command& command, bool& overwrite);

// Commands call these functions before they compute anything.

// Makes the folder, but refuses a folder in which a run has finished, unless `overwrite` is true.
[[nodiscard]] std::filesystem::path results_folder(const std::filesystem::path& out, bool json, bool overwrite);

[[nodiscard]] bool holds_results(const std::filesystem::path& folder);

// Refuses a folder, a file in a missing folder and, without `overwrite`, a file that exists.
void check_out_file(const std::filesystem::path& out, bool overwrite);

void check_out_folder(const std::filesystem::path& folder, const std::vector<std::string>& names, bool overwrite);

// Throws ResourceError if the directory cannot be made or is not writable.
void make_run_directory(const std::filesystem::path& directory);

std::filesystem::path default_run_directory();

[[nodiscard]] std::string files_of_run(const std::filesystem::path& directory);

}  // namespace sotto::apps
