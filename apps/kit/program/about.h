// Facts about this process for reports: the command that the user typed, the time, and the build.
#pragma once

#include <chrono>
#include <cstdint>
#include <ctime>
#include <string>

namespace sotto::apps {

// Stores the command line for command_line() and json_wanted(). The main() of a program calls this function once.
void remember_command_line(const std::string& program, int argc, char** argv);

// The command line of this process, with its words quoted as a shell requires.
[[nodiscard]] std::string command_line();

// Whether --json is among the words of the command line, even if the other words are invalid.
[[nodiscard]] bool json_wanted();

// Quotes a word for a shell.
[[nodiscard]] std::string shell_quoted(const std::string& word);

// The time in UTC as text: "2026-01-31T10:45:02Z".
[[nodiscard]] std::string utc_text(std::time_t time);
[[nodiscard]] std::string utc_now();

// The version of the project, as the build system knows it. When the commit changes, the build system updates the
// version, the commit and the build type (cmake/GitCommit.cmake).
[[nodiscard]] const char* version();
// The commit as "5f9ded7a21", "5f9ded7a21-dirty", or "unknown" if the sources are in no git repository.
[[nodiscard]] const char* git_commit();
// The build type, such as "Release", and further settings that affect the speed.
[[nodiscard]] const char* build_type();

// The functions below measure the resources that this process has used: time and memory.

// Processor time of all threads of this process so far, in seconds.
[[nodiscard]] double process_cpu_seconds();

// Wall time since `begin`, in seconds.
[[nodiscard]] inline double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Maximum of resident memory in bytes since this program started (VmHWM of Linux). Returns 0 if the system does not
// report the maximum. The function does not use getrusage, which would also count the memory of the parent process at
// the fork.
[[nodiscard]] std::uint64_t peak_memory_bytes();

}  // namespace sotto::apps
