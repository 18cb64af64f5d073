// Facts about this process for reports: the command, the time, and the build.
#pragma once

#include <chrono>
#include <cstdint>
#include <ctime>
#include <string>

namespace sotto::apps {

// The main() of a program calls this function once.
void remember_command_line(const std::string& program, int argc, char** argv);

[[nodiscard]] std::string command_line();

[[nodiscard]] bool json_wanted();

[[nodiscard]] std::string shell_quoted(const std::string& word);

// Such as "2026-01-31T10:45:02Z".
[[nodiscard]] std::string utc_text(std::time_t time);
[[nodiscard]] std::string utc_now();

[[nodiscard]] const char* version();
// The result is "unknown" if the sources were not in a git repository.
[[nodiscard]] const char* git_commit();
[[nodiscard]] const char* build_type();

[[nodiscard]] double process_cpu_seconds();

// Seconds.
[[nodiscard]] inline double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Returns VmHWM of Linux, or 0. The function getrusage() would also count the parent's memory at the fork.
[[nodiscard]] std::uint64_t peak_memory_bytes();

}  // namespace sotto::apps
